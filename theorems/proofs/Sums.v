(** Finite sums, and distributions on finitely many outcomes.

    Outcomes are listed, and a distribution is a weight for each of them.  (A list may name an outcome twice;
    then it counts twice, in both distributions.) *)

From Coq Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

Fixpoint sum {A} (f : A -> R) (s : list A) : R :=
  match s with
  | [] => 0
  | y :: s => f y + sum f s
  end.

Definition distribution {A} (s : list A) (p : A -> R) : Prop :=
  (forall y, 0 <= p y) /\ sum p s = 1.

(** [P s p S] is the probability of the event [S]. *)
Definition P {A} (s : list A) (p : A -> R) (S : A -> bool) : R :=
  sum (fun y => if S y then p y else 0) s.

Section Sums.
  Context {A B : Type}.
  Implicit Types (s : list A) (f g : A -> R).

  Lemma sum_ext s f g : (forall y, In y s -> f y = g y) -> sum f s = sum g s.
  Proof. induction s as [|y s IH]; simpl; intros H; auto. rewrite (H y), IH; auto. Qed.

  Lemma sum_le s f g : (forall y, In y s -> f y <= g y) -> sum f s <= sum g s.
  Proof.
    induction s as [|y s IH]; simpl; intros H; [lra|].
    apply Rplus_le_compat; auto.
  Qed.

  Lemma sum_zero s f : (forall y, In y s -> f y = 0) -> sum f s = 0.
  Proof. induction s as [|y s IH]; simpl; intros H; auto. rewrite (H y), IH; auto; lra. Qed.

  Lemma sum_nonnegative s f : (forall y, In y s -> 0 <= f y) -> 0 <= sum f s.
  Proof. intros H. rewrite <- (sum_zero s (fun _ => 0)); auto. apply sum_le, H. Qed.

  Lemma sum_plus s f g : sum (fun y => f y + g y) s = sum f s + sum g s.
  Proof. induction s as [|y s IH]; simpl; [lra|]. rewrite IH; lra. Qed.

  Lemma sum_times s c f : sum (fun y => c * f y) s = c * sum f s.
  Proof. induction s as [|y s IH]; simpl; [lra|]. rewrite IH; lra. Qed.

  Lemma sum_times_right s c f : sum (fun y => f y * c) s = sum f s * c.
  Proof. induction s as [|y s IH]; simpl; [lra|]. rewrite IH; lra. Qed.

  Lemma sum_app s t f : sum f (s ++ t) = sum f s + sum f t.
  Proof. induction s as [|y s IH]; simpl; [lra|]. rewrite IH; lra. Qed.

  Lemma sum_map (h : B -> A) (t : list B) f : sum f (map h t) = sum (fun y => f (h y)) t.
  Proof. induction t as [|y t IH]; simpl; auto. rewrite IH; auto. Qed.


  (** A sum of terms that are at least 0 is 0 where all of them are. *)
  Lemma sum_is_zero s f : (forall y, In y s -> 0 <= f y) -> sum f s = 0 -> forall y, In y s -> f y = 0.
  Proof.
    induction s as [|x s IH]; simpl; intros H E y Hy; [contradiction|].
    assert (0 <= f x) by auto. assert (0 <= sum f s) by (apply sum_nonnegative; auto).
    destruct Hy as [<-|Hy]; [lra|]. apply IH; auto; lra.
  Qed.

  Lemma some_weight s p : distribution s p -> exists y, In y s /\ 0 < p y.
  Proof.
    intros [H E]. assert (N : sum p s <> 0) by lra. clear E. induction s as [|x s IH]; simpl in *; [lra|].
    destruct (Rle_lt_dec (p x) 0) as [L|L]; [|exists x; auto].
    assert (p x = 0) by (specialize (H x); lra).
    destruct IH as (y & I & Y); [lra|]. exists y; auto.
  Qed.
End Sums.

Lemma sum_pairs {A B} (s : list A) (t : list B) (f : A * B -> R) :
  sum f (list_prod s t) = sum (fun x => sum (fun y => f (x, y)) t) s.
Proof. induction s as [|x s IH]; simpl; auto. rewrite sum_app, sum_map, IH; auto. Qed.

Lemma sum_exchange {A B} (s : list A) (t : list B) (f : A -> B -> R) :
  sum (fun x => sum (f x) t) s = sum (fun y => sum (fun x => f x y) s) t.
Proof.
  induction s as [|x s IH]; simpl.
  - symmetry. apply sum_zero; auto.
  - rewrite IH, <- sum_plus; auto.
Qed.

(** The first output, and then the second one, which may read it. *)
Definition both {A B} (p : A -> R) (p' : A -> B -> R) : A * B -> R := fun '(x, y) => p x * p' x y.

Lemma both_distribution {A B} (s : list A) (t : list B) p p' :
  distribution s p -> (forall x, distribution t (p' x)) -> distribution (list_prod s t) (both p p').
Proof.
  intros [N E] H. split.
  - intros [x y]. apply Rmult_le_pos; auto. apply H.
  - rewrite sum_pairs, <- E. apply sum_ext. intros x _. simpl. rewrite sum_times.
    destruct (H x) as [_ ->]. lra.
Qed.

(** What comes of an output that [g] is applied to: it reads the output only, and may draw coins. *)
Definition processed {A B} (g : A -> B -> R) (s : list A) (p : A -> R) : B -> R :=
  fun z => sum (fun y => p y * g y z) s.

Lemma processed_distribution {A B} (g : A -> B -> R) s (t : list B) p :
  (forall y, distribution t (g y)) -> distribution s p -> distribution t (processed g s p).
Proof.
  intros G [N E]. split.
  - intros z. apply sum_nonnegative. intros y _. apply Rmult_le_pos; auto. apply G.
  - unfold processed. rewrite sum_exchange, <- E. apply sum_ext. intros y _.
    rewrite sum_times. destruct (G y) as [_ ->]. lra.
Qed.
