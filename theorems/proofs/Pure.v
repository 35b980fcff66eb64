(** Pure privacy: P(S) <= e^loss Q(S) for all events S. *)

From Coq Require Import Reals Lra Lia List.
From proofs Require Import Sums Notions Approximate.
Import ListNotations.
Open Scope R_scope.

Definition loses {A} (loss : R) (s : list A) (p q : A -> R) : Prop :=
  forall S : A -> bool, P s p S <= exp loss * P s q S.

(** It is approximate privacy with delta = 0. *)
Theorem without_delta {A} loss (s : list A) p q : loses loss s p q <-> close loss 0 s p q.
Proof. split; intros H S; specialize (H S); lra. Qed.

Definition pure : notion.
Proof.
  refine {|
    parameter := R;
    holds := @loses;
    allowed := fun t => 0 <= t;
    none := 0;
    plus := Rplus;
    at_distance := fun r t => INR r * t;
    less := Rle
  |}; cbn beta.
  - lra.
  - intros; lra.
  - intros; apply Rmult_le_pos; auto using pos_INR.
  - intros; lra.
  - intros; lra.
  - intros; lra.
  - auto.
  - intros; simpl; ring.
  - intros; simpl; ring.
  - intros; apply Rmult_le_compat_r; auto using le_INR.
  - intros A t u s p q Dp Dq L H. apply without_delta. apply without_delta in H.
    apply (weaker approximate A (t, 0) (u, 0)); simpl; auto; lra.
  - intros A s p D S. rewrite exp_0. lra.
  - intros A r t s p q w T Dp Dq Dw H H' S. rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus.
    specialize (H S). specialize (H' S). pose proof (exp_pos (INR r * t)).
    apply (Rmult_le_compat_l (exp (INR r * t))) in H'; lra.
  - intros A B t u s s' p q p' q' _ _ Dp Dq Dp' Dq' H H'. apply without_delta.
    rewrite <- (Rplus_0_r 0). apply two_mechanisms; auto; try intros x; apply without_delta; auto.
  - intros A B f t s p q H S. specialize (H (fun x => S (f x))). unfold P in *. rewrite !sum_map. exact H.
Defined.

(** Mechanisms that lose at most loss_i, each of which may read earlier outputs: the sum. *)
Theorem composition {O} (M : list (mechanism O pure)) loss :
  Forall loses_at_most M -> (forall m, In m M -> lost m = Some (loss m)) ->
  loses (sum loss M) (all_outputs M) (composed at_D M []) (composed at_E M []).
Proof.
  intros F H. pose proof (Notions.composition M F) as C.
  rewrite (total_of (N := pure) lost loss (sum loss) M) in C; auto.
Qed.

(** epsilon at all neighbours, at r steps: r epsilon. *)
Theorem at_distance_r {X O} (G : X -> X -> Prop) epsilon (s : list O) M : 0 <= epsilon ->
  (forall D, distribution s (M D)) -> (forall D E, G D E -> loses epsilon s (M D) (M E)) ->
  forall r D E, chain G r D E -> loses (INR r * epsilon) s (M D) (M E).
Proof.
  intros E K H r x y C. pose proof (@along_a_chain pure X O G (Some epsilon) E s M K H r x y C) as W.
  destruct r; [|exact W]. inversion C; subst. intros S. simpl. rewrite Rmult_0_l, exp_0. lra.
Qed.

(** Whatever is done to an output, with coins of one's own. *)
Theorem post_processing {A B} loss (g : A -> B -> R) (s : list A) (t : list B) p q :
  (forall y, distribution t (g y)) -> loses loss s p q -> loses loss t (processed g s p) (processed g s q).
Proof. intros G H. apply without_delta, post_processing; auto. apply without_delta, H. Qed.
