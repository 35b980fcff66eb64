"""Front: studies in the user's hands, what readers are told, how it is printed and drawn, and the command.

It may import every room, and decides nothing.
"""
