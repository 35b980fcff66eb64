(** Approximate privacy: P(S) <= e^epsilon Q(S) + delta for all events S. *)

From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From proofs Require Import Sums Notions.
Import ListNotations.
Open Scope R_scope.

Definition close {A} (epsilon delta : R) (s : list A) (p q : A -> R) : Prop :=
  forall S : A -> bool, P s p S <= exp epsilon * P s q S + delta.

(** delta (1 + e^epsilon + ... + e^((r-1) epsilon)) *)
Definition delta_at (r : nat) (epsilon delta : R) : R :=
  delta * sum (fun j => exp (INR j * epsilon)) (seq 0 r).

Lemma exp_at_least_1 x : 0 <= x -> 1 <= exp x.
Proof. intros H. pose proof (exp_ineq1_le x). lra. Qed.

Lemma P_nonnegative {A} (s : list A) p S : distribution s p -> 0 <= P s p S.
Proof. intros [N _]. apply sum_nonnegative. intros y _. destruct (S y); auto; lra. Qed.

Lemma P_at_most_1 {A} (s : list A) p S : distribution s p -> P s p S <= 1.
Proof. intros [N <-]. apply sum_le. intros y _. destruct (S y); [lra|apply N]. Qed.

(** What holds of events holds of functions between 0 and 1. *)
Theorem functions {A} epsilon delta (s : list A) p q h : close epsilon delta s p q ->
  (forall y, 0 <= h y <= 1) ->
  sum (fun y => p y * h y) s <= exp epsilon * sum (fun y => q y * h y) s + delta.
Proof.
  intros H B. set (S y := if Rlt_dec (exp epsilon * q y) (p y) then true else false).
  specialize (H S). unfold P in H.
  enough (sum (fun y => p y * h y) s - exp epsilon * sum (fun y => q y * h y) s
    <= sum (fun y => if S y then p y else 0) s - exp epsilon * sum (fun y => if S y then q y else 0) s) by lra.
  clear H. induction s as [|y s IH]; cbn [sum]; [lra|].
  enough (p y * h y - exp epsilon * (q y * h y)
    <= (if S y then p y else 0) - exp epsilon * (if S y then q y else 0)) by lra.
  specialize (B y). unfold S. destruct (Rlt_dec _ _) as [L|L]; [|apply Rnot_lt_le in L];
    replace (p y * h y - exp epsilon * (q y * h y)) with ((p y - exp epsilon * q y) * h y) by ring.
  - rewrite <- (Rmult_1_r (p y - exp epsilon * q y)) at 2. apply Rmult_le_compat_l; lra.
  - rewrite Rmult_0_r, Rminus_0_r, <- (Rmult_0_l (h y)). apply Rmult_le_compat_r; lra.
Qed.

(** Two mechanisms, the second of which may read the output of the first. *)
Theorem two_mechanisms {A B} e1 d1 e2 d2 (s : list A) (t : list B) p q p' q' :
  distribution s p -> distribution s q ->
  (forall x, distribution t (p' x)) -> (forall x, distribution t (q' x)) ->
  close e1 d1 s p q -> (forall x, close e2 d2 t (p' x) (q' x)) ->
  close (e1 + e2) (d1 + d2) (list_prod s t) (both p p') (both q q').
Proof.
  intros [Np Ep] [Nq Eq] Dp Dq H H' S.
  set (row (w : A -> B -> R) x := P t (w x) (fun y => S (x, y))).
  assert (R : forall a (w : A -> B -> R), P (list_prod s t) (both a w) S = sum (fun x => a x * row w x) s).
  { intros a w. unfold P. rewrite sum_pairs. apply sum_ext. intros x _. unfold row, P.
    rewrite <- sum_times. apply sum_ext. intros y _. simpl. destruct (S (x, y)); ring. }
  rewrite !R. set (h x := Rmin 1 (exp e2 * row q' x)).
  assert (Q : forall x, 0 <= row q' x) by (intros x; apply P_nonnegative; auto).
  assert (B' : forall x, 0 <= h x <= 1).
  { intros x. split; [|apply Rmin_l]. apply Rmin_glb; [lra|]. pose proof (exp_pos e2).
    apply Rmult_le_pos; [lra|auto]. }
  assert (B1 : sum (fun x => p x * row p' x) s <= sum (fun x => p x * h x) s + d2).
  { replace d2 with (d2 * sum p s) by (rewrite Ep; ring). rewrite <- sum_times, <- sum_plus.
    apply sum_le. intros x _. rewrite <- (Rmult_comm (p x)), <- Rmult_plus_distr_l.
    apply Rmult_le_compat_l; auto. pose proof (H' x (fun y => S (x, y))) as K. fold (row p' x) in K.
    fold (row q' x) in K. pose proof (P_at_most_1 t (p' x) (fun y => S (x, y)) (Dp x)) as K'.
    pose proof (H' x (fun _ => false)) as Z. unfold P in Z. rewrite !sum_zero in Z; auto.
    fold (row p' x) in K'. unfold h. apply Rmin_case; lra. }
  assert (B2 : sum (fun x => q x * h x) s <= exp e2 * sum (fun x => q x * row q' x) s).
  { rewrite <- sum_times. apply sum_le. intros x _. replace (exp e2 * (q x * row q' x))
      with (q x * (exp e2 * row q' x)) by ring. apply Rmult_le_compat_l; auto. apply Rmin_r. }
  pose proof (functions e1 d1 s p q h H B') as F. rewrite exp_plus. pose proof (exp_pos e1).
  apply (Rmult_le_compat_l (exp e1)) in B2; lra.
Qed.

Lemma delta_at_nonnegative r e d : 0 <= d -> 0 <= delta_at r e d.
Proof.
  intros H. apply Rmult_le_pos; auto. apply sum_nonnegative. intros j _. pose proof (exp_pos (INR j * e)). lra.
Qed.

Lemma delta_at_further r e d : delta_at (S r) e d = delta_at r e d + exp (INR r * e) * d.
Proof. unfold delta_at. rewrite seq_S, sum_app. simpl. ring. Qed.

Definition approximate : notion.
Proof.
  refine {|
    parameter := R * R;
    holds := fun A t => close (fst t) (snd t);
    allowed := fun t => 0 <= fst t /\ 0 <= snd t;
    none := (0, 0);
    plus := fun t u => (fst t + fst u, snd t + snd u);
    at_distance := fun r t => (INR r * fst t, delta_at r (fst t) (snd t));
    less := fun t u => fst t <= fst u /\ snd t <= snd u
  |}; cbn beta delta [fst snd] iota.
  - lra.
  - intros; lra.
  - intros r t [E D]. split; [apply Rmult_le_pos; auto using pos_INR|apply delta_at_nonnegative, D].
  - intros; lra.
  - intros; lra.
  - intros; lra.
  - intros; lra.
  - intros [e d]. unfold delta_at. simpl. f_equal; ring.
  - intros [e d]. unfold delta_at. simpl. rewrite Rmult_0_l, exp_0. f_equal; ring.
  - intros r r' [e d] [E D] L; simpl in *. split; [apply Rmult_le_compat_r; auto using le_INR|].
    induction L as [|r' L IH]; [lra|]. rewrite delta_at_further. pose proof (exp_pos (INR r' * e)).
    assert (0 <= exp (INR r' * e) * d) by (apply Rmult_le_pos; lra). lra.
  - intros A [e d] [e' d'] s p q Dp Dq [E D] H S. simpl in *. specialize (H S).
    pose proof (P_nonnegative s q S Dq). enough (exp e * P s q S <= exp e' * P s q S) by lra.
    apply Rmult_le_compat_r; auto. destruct E as [E|<-]; [left; apply exp_increasing, E|lra].
  - intros A s p D S. simpl. rewrite exp_0. lra.
  - intros A r [e d] s p q w [E D] Dp Dq Dw H H' S. cbn [fst snd] in *. specialize (H S). specialize (H' S).
    rewrite delta_at_further, S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus.
    pose proof (exp_pos (INR r * e)). apply (Rmult_le_compat_l (exp (INR r * e))) in H'; lra.
  - intros A B [e1 d1] [e2 d2] s t p q p' q' _ _. apply two_mechanisms.
  - intros A B f t s p q H S. specialize (H (fun x => S (f x))). unfold P in *. rewrite !sum_map. exact H.
Defined.

(** Mechanisms with (epsilon_i, delta_i), each of which may read earlier outputs: the sums. *)
Theorem composition {O} (M : list (mechanism O approximate)) epsilon delta :
  Forall loses_at_most M -> (forall m, In m M -> lost m = Some (epsilon m, delta m)) ->
  close (sum epsilon M) (sum delta M) (all_outputs M) (composed at_D M []) (composed at_E M []).
Proof.
  intros F H. pose proof (Notions.composition M F) as C.
  rewrite (total_of (N := approximate) lost (fun m => (epsilon m, delta m))
             (fun M => (sum epsilon M, sum delta M)) M) in C; auto.
Qed.

(** (epsilon, delta) at all neighbours, at r steps: r epsilon and delta (1 + ... + e^((r-1) epsilon)). *)
Theorem at_distance_r {X O} (G : X -> X -> Prop) e d (s : list O) M : 0 <= e -> 0 <= d ->
  (forall D, distribution s (M D)) -> (forall D E, G D E -> close e d s (M D) (M E)) ->
  forall r D E, chain G r D E -> close (INR r * e) (delta_at r e d) s (M D) (M E).
Proof.
  intros E D K H r x y C.
  pose proof (@along_a_chain approximate X O G (Some (e, d)) (conj E D) s M K H r x y C) as W.
  destruct r; [|exact W]. inversion C; subst. intros S. simpl. unfold delta_at. simpl.
  rewrite Rmult_0_l, exp_0. lra.
Qed.

(** ... which is delta (e^(r epsilon) - 1) / (e^epsilon - 1). *)
Theorem geometric_sum r e d : e <> 0 -> delta_at r e d = d * (exp (INR r * e) - 1) / (exp e - 1).
Proof.
  intros H. assert (N : exp e - 1 <> 0).
  { intros Z. assert (K : exp e = exp 0) by (rewrite exp_0; lra). apply exp_inv in K. lra. }
  unfold delta_at. induction r as [|r IH]; [simpl; rewrite Rmult_0_l, exp_0; field; auto|].
  rewrite seq_S, sum_app, Rmult_plus_distr_l, IH, S_INR, (Rmult_plus_distr_r (INR r)), exp_plus, Rmult_1_l.
  simpl. field; auto.
Qed.

(** Whatever is done to an output, with coins of one's own. *)
Theorem post_processing {A B} e d (g : A -> B -> R) (s : list A) (t : list B) p q :
  (forall y, distribution t (g y)) -> close e d s p q ->
  close e d t (processed g s p) (processed g s q).
Proof.
  intros G H S. set (h y := P t (g y) S).
  assert (K : forall w, P t (processed g s w) S = sum (fun y => w y * h y) s).
  { intros w. unfold h, P, processed.
    rewrite (sum_ext t _ (fun z => sum (fun y => w y * (if S z then g y z else 0)) s)).
    - rewrite <- sum_exchange. apply sum_ext. intros y _. rewrite <- sum_times. reflexivity.
    - intros z _. destruct (S z); auto. symmetry. apply sum_zero. intros; ring. }
  rewrite !K. apply functions; auto. intros y. split; [apply P_nonnegative; auto|apply P_at_most_1; auto].
Qed.
