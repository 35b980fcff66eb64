(** Zero-concentrated privacy: D_alpha(P || Q) <= rho alpha for all orders alpha > 1. *)

From Coq Require Import Reals Lra Lia List FunctionalExtensionality.
From proofs Require Import Sums Notions.
Import ListNotations.
Open Scope R_scope.

Definition power (x a : R) : R := if Rle_dec x 0 then 0 else exp (a * ln x).

(** The mean under Q of the density's power. *)
Definition moment {A} (alpha : R) (s : list A) (p q : A -> R) : R :=
  sum (fun y => power (p y / q y) alpha * q y) s.

Definition D {A} (alpha : R) (s : list A) (p q : A -> R) : R := / (alpha - 1) * ln (moment alpha s p q).

(** P has a density with respect to Q; D_alpha is ∞ where it has none. *)
Definition density {A} (s : list A) (p q : A -> R) : Prop := forall y, In y s -> q y = 0 -> p y = 0.

Definition concentrated {A} (rho : R) (s : list A) (p q : A -> R) : Prop :=
  density s p q /\ forall alpha, 1 < alpha -> D alpha s p q <= rho * alpha.

(** * One outcome *)

Definition term (alpha p q : R) : R := power (p / q) alpha * q.

Lemma term_nonnegative alpha p q : 0 <= q -> 0 <= term alpha p q.
Proof.
  intros H. apply Rmult_le_pos; auto. unfold power. destruct (Rle_dec _ _); [lra|left; apply exp_pos].
Qed.

Lemma term_zero alpha q : term alpha 0 q = 0.
Proof.
  unfold term, power. destruct (Rle_dec (0 / q) 0) as [_|L]; [ring|].
  exfalso. apply L. unfold Rdiv. rewrite Rmult_0_l. lra.
Qed.

Lemma term_positive alpha p q : 0 < p -> 0 < q -> term alpha p q = exp (alpha * ln p + (1 - alpha) * ln q).
Proof.
  intros Hp Hq. assert (0 < p / q) by (apply Rdiv_lt_0_compat; auto).
  unfold term, power. destruct (Rle_dec _ _) as [L|_]; [lra|].
  unfold Rdiv. rewrite ln_mult, ln_Rinv; auto using Rinv_0_lt_compat.
  rewrite <- (exp_ln q) at 2; auto. rewrite <- exp_plus. f_equal. ring.
Qed.

Lemma term_product alpha p q p' q' : 0 <= p -> 0 <= q -> 0 <= p' -> 0 <= q' ->
  term alpha (p * p') (q * q') = term alpha p q * term alpha p' q'.
Proof.
  intros [Hp|<-] [Hq|<-] [Hp'|<-] [Hq'|<-]; rewrite ?Rmult_0_l, ?Rmult_0_r, ?term_zero; try ring;
    try (unfold term; ring).
  rewrite !term_positive; auto using Rmult_lt_0_compat. rewrite <- exp_plus, !ln_mult; auto. f_equal. ring.
Qed.

Section Moments.
  Context {A : Type} (s : list A).
  Implicit Types p q w : A -> R.

  Lemma moment_positive alpha p q : distribution s p -> distribution s q -> density s p q ->
    0 < moment alpha s p q.
  Proof.
    intros Hp [Nq _] H. destruct (some_weight s p Hp) as (y & I & Y).
    assert (Q : 0 < q y) by (destruct (Nq y) as [L|E]; auto; specialize (H y I (eq_sym E)); lra).
    assert (T : 0 < term alpha (p y) (q y)) by (rewrite term_positive; auto using exp_pos).
    assert (N : forall x, In x s -> 0 <= term alpha (p x) (q x)) by (intros; apply term_nonnegative, Nq).
    change (moment alpha s p q) with (sum (fun y => term alpha (p y) (q y)) s).
    destruct (sum_nonnegative s _ N) as [L|E]; auto.
    pose proof (sum_is_zero s _ N (eq_sym E) y I). lra.
  Qed.

  (** D_alpha <= c says that the moment is at most e^((alpha - 1) c). *)
  Lemma D_at_most alpha c p q : distribution s p -> distribution s q -> density s p q -> 1 < alpha ->
    (D alpha s p q <= c <-> moment alpha s p q <= exp ((alpha - 1) * c)).
  Proof.
    intros Hp Hq H L. pose proof (moment_positive alpha p q Hp Hq H) as M. unfold D. split; intros K.
    - rewrite <- (exp_ln (moment alpha s p q)); auto.
      assert (E : ln (moment alpha s p q) <= (alpha - 1) * c).
      { apply (Rmult_le_compat_l (alpha - 1)) in K; [|lra]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l in K; lra. }
      destruct E as [E|E]; [left; apply exp_increasing, E|rewrite E; lra].
    - apply (Rmult_le_reg_l (alpha - 1)); [lra|]. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l; [|lra].
      rewrite <- (ln_exp ((alpha - 1) * c)). destruct K as [K|K]; [left; apply ln_increasing; auto|].
      rewrite K. lra.
  Qed.
End Moments.

(** * Two mechanisms, the second of which may read the output of the first *)

Theorem two_mechanisms {A B} rho rho' (s : list A) (t : list B) p q p' q' :
  distribution s p -> distribution s q ->
  (forall x, distribution t (p' x)) -> (forall x, distribution t (q' x)) ->
  concentrated rho s p q -> (forall x, concentrated rho' t (p' x) (q' x)) ->
  concentrated (rho + rho') (list_prod s t) (both p p') (both q q').
Proof.
  intros Hp Hq Hp' Hq' [C H] H'.
  assert (C' : density (list_prod s t) (both p p') (both q q')).
  { intros [x y] I E. apply in_prod_iff in I as [I J]. simpl in *. apply Rmult_integral in E as [E|E].
    - rewrite (C x I E). ring.
    - destruct (H' x) as [K _]. rewrite (K y J E). ring. }
  split; auto. intros alpha L. apply D_at_most; auto using both_distribution.
  assert (E : moment alpha (list_prod s t) (both p p') (both q q')
    = sum (fun x => term alpha (p x) (q x) * moment alpha t (p' x) (q' x)) s).
  { unfold moment. rewrite sum_pairs. apply sum_ext. intros x _. rewrite <- sum_times. apply sum_ext.
    intros y _. apply term_product; apply Hp || apply Hq || apply Hp' || apply Hq'. }
  rewrite E, Rmult_plus_distr_r, Rmult_plus_distr_l, exp_plus.
  apply Rle_trans with (sum (fun x => term alpha (p x) (q x) * exp ((alpha - 1) * (rho' * alpha))) s).
  - apply sum_le. intros x _. apply Rmult_le_compat_l; [apply term_nonnegative, Hq|].
    destruct (H' x) as [K K']. apply D_at_most; auto.
  - rewrite sum_times_right. apply Rmult_le_compat_r; [left; apply exp_pos|].
    apply (D_at_most s alpha (rho * alpha) p q); auto.
Qed.

(** * The triangle inequality *)

Lemma convex theta x y : 0 <= theta <= 1 ->
  exp (theta * x + (1 - theta) * y) <= theta * exp x + (1 - theta) * exp y.
Proof.
  intros H. set (m := theta * x + (1 - theta) * y).
  assert (K : forall z, exp m * (1 + (z - m)) <= exp z).
  { intros z. replace (exp z) with (exp m * exp (z - m)) by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_l; [left; apply exp_pos|apply exp_ineq1_le]. }
  pose proof (Rmult_le_compat_l theta _ _ (proj1 H) (K x)).
  assert (0 <= 1 - theta) as N by lra. pose proof (Rmult_le_compat_l (1 - theta) _ _ N (K y)).
  replace (exp m) with (theta * (exp m * (1 + (x - m))) + (1 - theta) * (exp m * (1 + (y - m))));
    [lra|unfold m; ring].
Qed.

Lemma triangle_positive {A} a b (s : list A) p q w : 0 < a -> 0 < b ->
  distribution s p -> distribution s q -> distribution s w ->
  concentrated (a ^ 2) s p q -> concentrated (b ^ 2) s q w -> concentrated ((a + b) ^ 2) s p w.
Proof.
  intros Ha Hb Hp Hq Hw [C H] [C' H'].
  assert (K : density s p w) by (intros y I E; auto). split; auto.
  intros alpha L. apply D_at_most; auto.
  set (c := alpha + (alpha - 1) * b / a). set (c' := alpha + alpha * a / b).
  set (theta := alpha / c).
  assert (0 < (alpha - 1) * b / a) by (apply Rdiv_lt_0_compat; auto; apply Rmult_lt_0_compat; lra).
  assert (0 < alpha * a / b) by (apply Rdiv_lt_0_compat; auto; apply Rmult_lt_0_compat; lra).
  assert (Hc : alpha < c) by (unfold c; lra). assert (Hc' : alpha < c') by (unfold c'; lra).
  assert (Ht : 0 <= theta <= 1).
  { unfold theta. split; [left; apply Rdiv_lt_0_compat; lra|]. apply (Rmult_le_reg_r c); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (N : a + b <> 0) by lra. assert (N' : a * alpha + (alpha - 1) * b <> 0).
  { assert (0 < a * alpha) by (apply Rmult_lt_0_compat; lra).
    assert (0 < (alpha - 1) * b) by (apply Rmult_lt_0_compat; lra). lra. }
  set (m := (c - 1) * (a ^ 2 * c)). set (m' := (c' - 1) * (b ^ 2 * c')).
  assert (M : moment c s p q <= exp m) by (apply D_at_most; auto; [lra|apply H; lra]).
  assert (M' : moment c' s q w <= exp m') by (apply D_at_most; auto; [lra|apply H'; lra]).
  assert (E : theta * m + (1 - theta) * m' = (alpha - 1) * ((a + b) ^ 2 * alpha)).
  { unfold theta, m, m', c, c'. field. repeat split; lra. }
  rewrite <- E.
  assert (T : forall y, In y s -> term alpha (p y) (w y) <=
    exp (theta * m + (1 - theta) * m') *
      (theta * exp (- m) * term c (p y) (q y) + (1 - theta) * exp (- m') * term c' (q y) (w y))).
  { intros y I. destruct Hp as [Np _], Hq as [Nq _], Hw as [Nw _].
    destruct (Np y) as [Y|Z].
    - assert (Q : 0 < q y) by (destruct (Nq y) as [|Z]; auto; rewrite (C y I (eq_sym Z)) in Y; lra).
      assert (W : 0 < w y) by (destruct (Nw y) as [|Z]; auto; rewrite (C' y I (eq_sym Z)) in Q; lra).
      rewrite !term_positive; auto.
      set (u := c * ln (p y) + (1 - c) * ln (q y)). set (v := c' * ln (q y) + (1 - c') * ln (w y)).
      replace (alpha * ln (p y) + (1 - alpha) * ln (w y))
        with ((theta * m + (1 - theta) * m') + (theta * (- m + u) + (1 - theta) * (- m' + v))).
      + rewrite exp_plus. apply Rmult_le_compat_l; [left; apply exp_pos|].
        pose proof (convex theta (- m + u) (- m' + v) Ht) as V. rewrite (exp_plus (- m) u), (exp_plus (- m') v) in V. lra.
      + unfold u, v, theta, c, c'. field. repeat split; lra.
    - rewrite <- Z, term_zero. apply Rmult_le_pos; [left; apply exp_pos|].
      apply Rplus_le_le_0_compat; (apply Rmult_le_pos; [|apply term_nonnegative; auto]);
        (apply Rmult_le_pos; [lra|left; apply exp_pos]). }
  change (moment c s p q) with (sum (fun y => term c (p y) (q y)) s) in M.
  change (moment c' s q w) with (sum (fun y => term c' (q y) (w y)) s) in M'.
  change (moment alpha s p w) with (sum (fun y => term alpha (p y) (w y)) s).
  eapply Rle_trans; [apply sum_le, T|]. rewrite sum_times, sum_plus, !sum_times.
  rewrite <- (Rmult_1_r (exp (theta * m + (1 - theta) * m'))) at 2.
  apply Rmult_le_compat_l; [left; apply exp_pos|].
  assert (X : forall z S, S <= exp z -> exp (- z) * S <= 1).
  { intros z S Z. apply (Rmult_le_compat_l (exp (- z))) in Z; [|left; apply exp_pos].
    rewrite <- exp_plus, Rplus_opp_l, exp_0 in Z. exact Z. }
  apply X in M, M'. apply (Rmult_le_compat_l theta) in M; [|lra].
  apply (Rmult_le_compat_l (1 - theta)) in M'; lra.
Qed.

Lemma concentrated_weaker {A} rho rho' (s : list A) p q : rho <= rho' ->
  concentrated rho s p q -> concentrated rho' s p q.
Proof.
  intros L [C H]. split; auto. intros alpha O. specialize (H alpha O).
  apply (Rmult_le_compat_r alpha) in L; lra.
Qed.

Lemma concentrated_limit {A} rho (s : list A) p q :
  (forall rho', rho < rho' -> concentrated rho' s p q) -> concentrated rho s p q.
Proof.
  intros H. split; [apply (H (rho + 1)); lra|]. intros alpha L. apply Rnot_lt_le. intros K.
  set (c := D alpha s p q / alpha). assert (E : D alpha s p q = c * alpha) by (unfold c; field; lra).
  rewrite E in K. apply Rmult_lt_reg_r in K; [|lra].
  destruct (H ((rho + c) / 2)) as [_ H']; [lra|]. specialize (H' alpha L). rewrite E in H'.
  apply Rmult_le_reg_r in H'; lra.
Qed.

(** The roots of rho satisfy the triangle inequality. *)
Theorem triangle_inequality {A} a b (s : list A) p q w : 0 <= a -> 0 <= b ->
  distribution s p -> distribution s q -> distribution s w ->
  concentrated (a ^ 2) s p q -> concentrated (b ^ 2) s q w -> concentrated ((a + b) ^ 2) s p w.
Proof.
  intros Ha Hb Hp Hq Hw H H'. apply concentrated_limit. intros rho L.
  set (e := Rmin 1 ((rho - (a + b) ^ 2) / (4 * (a + b) + 4))).
  assert (0 < e) by (apply Rmin_glb_lt; [lra|apply Rdiv_lt_0_compat; lra]).
  assert (e <= 1) by apply Rmin_l.
  assert (e * (4 * (a + b) + 4) <= rho - (a + b) ^ 2).
  { apply Rle_trans with ((rho - (a + b) ^ 2) / (4 * (a + b) + 4) * (4 * (a + b) + 4)).
    - apply Rmult_le_compat_r; [lra|apply Rmin_r].
    - right. field. lra. }
  apply (concentrated_weaker ((a + e + (b + e)) ^ 2)).
  - assert (e * e <= 1 * e) by (apply Rmult_le_compat_r; lra). lra || nra.
  - apply (triangle_positive _ _ s p q w); auto; try lra;
      eapply concentrated_weaker; eauto; nra.
Qed.

Definition zcdp : notion.
Proof.
  refine {|
    parameter := R;
    holds := @concentrated;
    allowed := fun t => 0 <= t;
    none := 0;
    plus := Rplus;
    at_distance := fun r t => INR r ^ 2 * t;
    less := Rle
  |}; cbn beta.
  - lra.
  - intros; lra.
  - intros r t H. apply Rmult_le_pos; auto. apply pow_le, pos_INR.
  - intros; lra.
  - intros; lra.
  - intros; lra.
  - auto.
  - intros; simpl; ring.
  - intros; simpl; ring.
  - intros r r' t H L. apply Rmult_le_compat_r; auto. apply pow_incr. split; auto using pos_INR, le_INR.
  - intros A t u s p q _ _. apply concentrated_weaker.
  - intros A s p Hp. assert (C : density s p p) by (intros y _; auto). split; auto. intros alpha L.
    apply D_at_most; auto. rewrite Rmult_0_l, Rmult_0_r, exp_0. right. destruct Hp as [N <-].
    apply sum_ext. intros y _. fold (term alpha (p y) (p y)). destruct (N y) as [Y|<-]; [|apply term_zero].
    rewrite term_positive; auto. rewrite <- (exp_ln (p y)) at 3; auto. f_equal. ring.
  - intros A r t s p q w T Hp Hq Hw H H'. assert (R := sqrt_pos t). assert (S' := pow2_sqrt t T).
    pose proof (pos_INR r). replace (INR (S r) ^ 2 * t) with ((INR r * sqrt t + sqrt t) ^ 2).
    + apply (triangle_inequality _ _ s p q w); auto.
      * apply Rmult_le_pos; auto.
      * rewrite Rpow_mult_distr, S'. exact H.
      * rewrite S'. exact H'.
    + rewrite S_INR. rewrite <- S' at 3. ring.
  - intros A B t u s s' p q p' q' _ _. apply two_mechanisms.
  - intros A B f t s p q [C H]. split.
    + intros z I. apply in_map_iff in I as (y & <- & I). auto.
    + intros alpha L. specialize (H alpha L). unfold D, moment in *. rewrite sum_map. exact H.
Defined.

(** Mechanisms that are rho_i-zCDP, each of which may read earlier outputs: the sum. *)
Theorem composition {O} (M : list (mechanism O zcdp)) rho :
  Forall loses_at_most M -> (forall m, In m M -> lost m = Some (rho m)) ->
  concentrated (sum rho M) (all_outputs M) (composed at_D M []) (composed at_E M []).
Proof.
  intros F H. pose proof (Notions.composition M F) as C.
  rewrite (total_of (N := zcdp) lost rho (sum rho) M) in C; auto.
Qed.

(** rho at all neighbours, at r steps: r^2 rho. *)
Theorem at_distance_r {X O} (G : X -> X -> Prop) rho (s : list O) M : 0 <= rho ->
  (forall x, distribution s (M x)) -> (forall x y, G x y -> concentrated rho s (M x) (M y)) ->
  forall r x y, chain G r x y -> concentrated (INR r ^ 2 * rho) s (M x) (M y).
Proof.
  intros E K H r x y C. pose proof (@along_a_chain zcdp X O G (Some rho) E s M K H r x y C) as W.
  destruct r; [|exact W]. replace (INR 0 ^ 2 * rho) with 0 by (simpl; ring). exact W.
Qed.

(** * Post-processing *)

Lemma tangent alpha x : 1 < alpha -> 0 <= x -> alpha * x - (alpha - 1) <= power x alpha.
Proof.
  intros L H. unfold power. destruct (Rle_dec x 0) as [Z|Z]; [assert (x = 0) as -> by lra; lra|].
  pose proof (convex (/ alpha) (alpha * ln x) 0) as C. rewrite exp_0 in C.
  assert (0 < / alpha) by (apply Rinv_0_lt_compat; lra).
  assert (/ alpha <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
  replace (/ alpha * (alpha * ln x) + (1 - / alpha) * 0) with (ln x) in C by (field; lra).
  rewrite exp_ln in C by lra. specialize (C ltac:(lra)). apply (Rmult_le_compat_l alpha) in C; [|lra].
  replace (alpha * (/ alpha * exp (alpha * ln x) + (1 - / alpha) * 1))
    with (exp (alpha * ln x) + (alpha - 1)) in C by (field; lra). lra.
Qed.

Lemma tangent_at alpha p q t : 1 < alpha -> 0 < t -> 0 <= p -> 0 <= q -> (q = 0 -> p = 0) ->
  alpha * (power t alpha / t) * p - (alpha - 1) * power t alpha * q <= term alpha p q.
Proof.
  intros L T Hp [Q|Z] C.
  - pose proof (tangent alpha (p / q / t) L) as K.
    assert (0 <= p / q) by (apply Rmult_le_pos; [auto|left; apply Rinv_0_lt_compat; auto]).
    assert (0 <= p / q / t) as W by (apply Rmult_le_pos; [auto|left; apply Rinv_0_lt_compat; auto]).
    specialize (K W). assert (E : power (p / q) alpha = power (p / q / t) alpha * power t alpha).
    { unfold power. destruct (Rle_dec t 0); [lra|]. destruct (Rle_dec (p / q) 0) as [Y|Y].
      - destruct (Rle_dec (p / q / t) 0) as [|Y']; [ring|]. exfalso. apply Y'.
        assert (p / q = 0) as -> by lra. unfold Rdiv. lra.
      - assert (0 < p / q / t) by (apply Rdiv_lt_0_compat; lra).
        destruct (Rle_dec (p / q / t) 0); [lra|]. rewrite <- exp_plus. f_equal.
        rewrite <- Rmult_plus_distr_l, <- ln_mult; auto. f_equal. f_equal. field. lra. }
    unfold term. rewrite E. assert (P' : 0 < power t alpha).
    { unfold power. destruct (Rle_dec t 0); [lra|apply exp_pos]. }
    apply (Rmult_le_compat_r (power t alpha * q)) in K; [|apply Rmult_le_pos; lra].
    replace (alpha * (power t alpha / t) * p - (alpha - 1) * power t alpha * q)
      with ((alpha * (p / q / t) - (alpha - 1)) * (power t alpha * q)) by (field; lra). lra.
  - rewrite (C (eq_sym Z)), <- Z, term_zero. lra.
Qed.

(** Whatever is done to an output, with coins of one's own. *)
Theorem post_processing {A B} rho (g : A -> B -> R) (s : list A) (t : list B) p q :
  distribution s p -> distribution s q -> (forall y, distribution t (g y)) ->
  concentrated rho s p q -> concentrated rho t (processed g s p) (processed g s q).
Proof.
  intros Hp Hq G [C H].
  assert (N : forall w z, distribution s w -> forall y, In y s -> 0 <= w y * g y z).
  { intros w z [Nw _] y _. apply Rmult_le_pos; auto. apply G. }
  assert (K : density t (processed g s p) (processed g s q)).
  { intros z _ E. apply sum_zero. intros y I. pose proof (sum_is_zero s _ (N q z Hq) E y I) as Z.
    apply Rmult_integral in Z as [Z|Z]; [rewrite (C y I Z)|rewrite Z]; ring. }
  split; auto. intros alpha L. apply D_at_most; auto using processed_distribution.
  apply Rle_trans with (moment alpha s p q); [|apply D_at_most; auto].
  apply Rle_trans with (sum (fun z => sum (fun y => term alpha (p y) (q y) * g y z) s) t).
  - apply sum_le. intros z I. fold (term alpha (processed g s p z) (processed g s q z)).
    assert (T : forall y, In y s -> 0 <= term alpha (p y) (q y) * g y z).
    { intros y _. apply Rmult_le_pos; [apply term_nonnegative, Hq|apply G]. }
    destruct (sum_nonnegative s _ (N p z Hp)) as [U|Z].
    2: { unfold processed at 1. rewrite <- Z, term_zero. apply sum_nonnegative, T. }
    fold (processed g s p z) in U. destruct (sum_nonnegative s _ (N q z Hq)) as [V|Z].
    2: { exfalso. symmetry in Z. specialize (K z I Z). lra. }
    fold (processed g s q z) in V. set (u := processed g s p z) in *. set (v := processed g s q z) in *.
    assert (0 < u / v) by (apply Rdiv_lt_0_compat; auto). set (x := power (u / v) alpha).
    apply Rle_trans with (sum (fun y => (alpha * (x / (u / v)) * p y - (alpha - 1) * x * q y) * g y z) s).
    + right. transitivity (alpha * (x / (u / v)) * u + - ((alpha - 1) * x) * v).
      * unfold term. fold x. field. lra.
      * set (k := alpha * (x / (u / v))).
        change (k * sum (fun y => p y * g y z) s + - ((alpha - 1) * x) * sum (fun y => q y * g y z) s
          = sum (fun y => (k * p y - (alpha - 1) * x * q y) * g y z) s).
        rewrite <- !sum_times, <- sum_plus. apply sum_ext. intros; ring.
    + apply sum_le. intros y J. apply Rmult_le_compat_r; [apply G|].
      apply tangent_at; auto; apply Hp || apply Hq.
  - right. rewrite <- sum_exchange. apply sum_ext. intros y _. rewrite sum_times.
    destruct (G y) as [_ ->]. unfold term. ring.
Qed.
