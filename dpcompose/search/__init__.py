"""Search: finds certificates, derivations and verdicts; nothing it says is believed unchecked."""
