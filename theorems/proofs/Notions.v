(** What follows in the same way in every notion: composition of k mechanisms, the metric form, minimum
    privacy and its closure, and the sensitivity profile.  [Pure], [Approximate] and [Zcdp] are such notions. *)

From Coq Require Import Reals Lra Lia List Arith FunctionalExtensionality.
From proofs Require Import Sums.
Import ListNotations.
Open Scope R_scope.

(** A notion: what a guarantee with a parameter says of two distributions of outputs, and what is proved of it
    one mechanism, one step and one pair of mechanisms at a time. *)
Record notion := {
  parameter : Type;
  holds : forall {A : Type}, parameter -> list A -> (A -> R) -> (A -> R) -> Prop;
  allowed : parameter -> Prop;  (* at least 0 *)
  none : parameter;  (* the least one *)
  plus : parameter -> parameter -> parameter;
  at_distance : nat -> parameter -> parameter;
  less : parameter -> parameter -> Prop;

  none_allowed : allowed none;
  plus_allowed : forall t u, allowed t -> allowed u -> allowed (plus t u);
  distance_allowed : forall r t, allowed t -> allowed (at_distance r t);
  less_refl : forall t, less t t;
  less_trans : forall t u v, less t u -> less u v -> less t v;
  plus_less : forall t t' u u', less t t' -> less u u' -> less (plus t u) (plus t' u');
  none_less : forall t, allowed t -> less none t;
  distance_none : forall t, at_distance 0 t = none;
  distance_one : forall t, at_distance 1 t = t;
  distance_less : forall r r' t, allowed t -> (r <= r')%nat -> less (at_distance r t) (at_distance r' t);

  weaker : forall A t u (s : list A) p q, distribution s p -> distribution s q ->
    less t u -> holds t s p q -> holds u s p q;
  equal : forall A (s : list A) p, distribution s p -> holds none s p p;
  step : forall A r t (s : list A) p q w, allowed t ->
    distribution s p -> distribution s q -> distribution s w ->
    holds (at_distance r t) s p q -> holds t s q w -> holds (at_distance (S r) t) s p w;
  pairs : forall A B t u (s : list A) (s' : list B) p q p' q', allowed t -> allowed u ->
    distribution s p -> distribution s q ->
    (forall x, distribution s' (p' x)) -> (forall x, distribution s' (q' x)) ->
    holds t s p q -> (forall x, holds u s' (p' x) (q' x)) ->
    holds (plus t u) (list_prod s s') (both p p') (both q q');
  renamed : forall A B (f : A -> B) t s p q,
    holds t s (fun x => p (f x)) (fun x => q (f x)) -> holds t (map f s) p q
}.

Arguments holds {n A}.
Arguments allowed {n}.
Arguments none {n}.
Arguments plus {n}.
Arguments at_distance {n}.
Arguments less {n}.

(** Distances are whole numbers or ∞, which is [None]; so are parameters in [0, ∞]. *)
Section Infinity.
  Variable N : notion.
  Implicit Types (t u : option (parameter N)) (r : option nat).

  Definition within {A} t (s : list A) p q : Prop :=
    match t with
    | Some t => holds t s p q
    | None => True  (* nothing is required *)
    end.

  Definition permitted t : Prop :=
    match t with Some t => allowed t | None => True end.

  Definition add t u : option (parameter N) :=
    match t, u with Some t, Some u => Some (plus t u) | _, _ => None end.

  Definition at_most t u : Prop :=
    match t, u with
    | _, None => True
    | Some t, Some u => less t u
    | None, Some _ => False
    end.

  (** The same input costs nothing, distance ∞ costs ∞, whatever the parameter is. *)
  Definition at_r r t : option (parameter N) :=
    match r, t with
    | Some O, _ => Some none
    | Some r, Some t => Some (at_distance r t)
    | _, _ => None
    end.

  Definition no_farther r r' : Prop :=
    match r, r' with
    | _, None => True
    | Some r, Some r' => (r <= r')%nat
    | None, Some _ => False
    end.

  Definition total := fold_right add (Some none).

  Lemma at_most_refl t : at_most t t.
  Proof. destruct t; simpl; auto using less_refl. Qed.

  Lemma at_most_trans t u v : at_most t u -> at_most u v -> at_most t v.
  Proof. destruct t, u, v; simpl; try contradiction; auto. apply less_trans. Qed.

  Lemma at_r_permitted r t : permitted t -> permitted (at_r r t).
  Proof. destruct r as [[|r]|], t; simpl; auto using none_allowed, distance_allowed. Qed.

  Lemma add_permitted t u : permitted t -> permitted u -> permitted (add t u).
  Proof. destruct t, u; simpl; auto using plus_allowed. Qed.

  Lemma add_at_most t t' u u' : at_most t t' -> at_most u u' -> at_most (add t u) (add t' u').
  Proof. destruct t, t', u, u'; simpl; try contradiction; auto using plus_less. Qed.

  Lemma at_r_at_most r r' t : permitted t -> no_farther r r' -> at_most (at_r r t) (at_r r' t).
  Proof.
    destruct r as [[|r]|], r' as [[|r']|], t as [t|]; simpl; try contradiction; try lia; intros T H;
      auto using less_refl.
    - rewrite <- (distance_none N t). apply distance_less; auto; lia.
    - apply distance_less; auto.
  Qed.

  Lemma within_weaker {A} t u (s : list A) p q :
    distribution s p -> distribution s q -> at_most t u -> within t s p q -> within u s p q.
  Proof. destruct t, u; simpl; try contradiction; auto. intros; eapply weaker; eauto. Qed.

  Lemma within_pairs {A B} t u (s : list A) (s' : list B) p q p' q' : permitted t -> permitted u ->
    distribution s p -> distribution s q ->
    (forall x, distribution s' (p' x)) -> (forall x, distribution s' (q' x)) ->
    within t s p q -> (forall x, within u s' (p' x) (q' x)) ->
    within (add t u) (list_prod s s') (both p p') (both q q').
  Proof. destruct t, u; simpl; auto. apply pairs. Qed.
End Infinity.

Arguments within {N A}.
Arguments permitted {N}.
Arguments add {N}.
Arguments at_most {N}.
Arguments at_r {N}.
Arguments total {N}.

(** What mechanisms lose in all, where each loses something finite: their values added up. *)
Lemma total_of {N : notion} {A} (lost : A -> option (parameter N)) (value : A -> parameter N) whole M :
  whole [] = none -> (forall m M, whole (m :: M) = plus (value m) (whole M)) ->
  (forall m, In m M -> lost m = Some (value m)) -> total (map lost M) = Some (whole M).
Proof.
  intros Z P H. induction M as [|m M IH]; [rewrite Z; auto|].
  change (total (map lost (m :: M))) with (add (lost m) (total (map lost M))).
  rewrite (H m (or_introl eq_refl)), IH, P; auto. intros; apply H; right; auto.
Qed.

(** * Composition of k mechanisms, each of which may read the outputs before it *)

(** Mechanism i at two databases: its outputs, their weights at D and at E after the earlier outputs, and
    what it loses at most. *)
Record mechanism (O : Type) (N : notion) := {
  outputs : list O;
  at_D : list O -> O -> R;
  at_E : list O -> O -> R;
  lost : option (parameter N)
}.

Arguments outputs {O N}.
Arguments at_D {O N}.
Arguments at_E {O N}.
Arguments lost {O N}.

Section Composition.
  Context {O : Type} {N : notion}.
  Implicit Type M : list (mechanism O N).

  (** The outputs of the composition: one of each mechanism. *)
  Fixpoint all_outputs M : list (list O) :=
    match M with
    | [] => [[]]
    | m :: M => map (fun '(y, ys) => y :: ys) (list_prod (outputs m) (all_outputs M))
    end.

  (** Its weights, after the outputs [h] of earlier mechanisms. *)
  Fixpoint composed (side : mechanism O N -> list O -> O -> R) M (h ys : list O) : R :=
    match M, ys with
    | [], [] => 1
    | m :: M, y :: ys => side m h y * composed side M (h ++ [y]) ys
    | _, _ => 0
    end.

  (** A mechanism is one after all earlier outputs, and loses at most what is said, whatever they are. *)
  Definition loses_at_most (m : mechanism O N) : Prop :=
    permitted (lost m) /\
    forall h, distribution (outputs m) (at_D m h) /\ distribution (outputs m) (at_E m h) /\
      within (lost m) (outputs m) (at_D m h) (at_E m h).

  Lemma composed_nonnegative side M :
    (forall m, In m M -> forall h y, 0 <= side m h y) -> forall h ys, 0 <= composed side M h ys.
  Proof.
    induction M as [|m M IH]; intros H h [|y ys]; simpl; try lra.
    apply Rmult_le_pos; [apply H; left; auto|]. apply IH. intros; apply H; right; auto.
  Qed.

  Lemma composed_distribution side M :
    (forall m, In m M -> forall h, distribution (outputs m) (side m h)) ->
    forall h, distribution (all_outputs M) (composed side M h).
  Proof.
    intros H h. split.
    - apply composed_nonnegative. intros m I h' y. apply (H m I h').
    - revert h. induction M as [|m M IH]; intros h; simpl; [lra|].
      rewrite sum_map, sum_pairs. destruct (H m (or_introl eq_refl) h) as [_ E]. rewrite <- E.
      apply sum_ext. intros y _. simpl. rewrite sum_times, IH; [lra|]. intros; apply H; right; auto.
  Qed.

  Theorem composition M : Forall loses_at_most M ->
    within (total (map lost M)) (all_outputs M) (composed at_D M []) (composed at_E M []).
  Proof.
    intros F. enough (G : permitted (total (map lost M)) /\
      forall h, within (total (map lost M)) (all_outputs M) (composed at_D M h) (composed at_E M h)) by apply G.
    induction F as [|m M (T & H) F (T' & IH)].
    - split; [apply none_allowed|]. intros h. unfold total; simpl.
      apply (equal N). apply (composed_distribution at_D [] ltac:(simpl; contradiction) h).
    - split; [apply add_permitted; auto|]. intros h. simpl map. simpl total.
      assert (C : forall side, (forall n h', loses_at_most n -> distribution (outputs n) (side n h')) ->
        forall y, distribution (all_outputs M) (composed side M (h ++ [y]))).
      { intros side K y. apply composed_distribution. intros n I h'. apply K.
        rewrite Forall_forall in F; auto. }
      destruct (H h) as (D & E & L).
      assert (W : within (add (lost m) (total (map lost M))) (list_prod (outputs m) (all_outputs M))
        (both (at_D m h) (fun y => composed at_D M (h ++ [y])))
        (both (at_E m h) (fun y => composed at_E M (h ++ [y])))).
      { apply within_pairs; auto; apply C; intros n h' (_ & K); apply K. }
      assert (X : forall side, (fun x => composed side (m :: M) h (let '(y, ys) := x in y :: ys))
        = both (side m h) (fun y => composed side M (h ++ [y]))).
      { intros side. apply functional_extensionality. intros [y ys]. reflexivity. }
      change (total (map lost (m :: M))) with (add (lost m) (total (map lost M))).
      destruct (add _ _) as [t|]; [|exact I]. simpl within in *. apply renamed.
      rewrite <- !X in W. exact W.
  Qed.
End Composition.

(** * Distances in steps of a granularity *)

Section Distances.
  Context {X : Type} (G : X -> X -> Prop).

  (** [chain r x y]: r steps of G lead from x to y. *)
  Inductive chain : nat -> X -> X -> Prop :=
  | here x : chain 0 x x
  | further r x y z : chain r x y -> G y z -> chain (S r) x z.
End Distances.

(** The least number with a property; ∞ where there is none. *)
Definition least (H : nat -> Prop) (r : option nat) : Prop :=
  match r with
  | Some r => H r /\ forall n, H n -> (r <= n)%nat
  | None => forall n, ~ H n
  end.

(** The canonical metric: the fewest steps. *)
Definition distance {X} (G : X -> X -> Prop) x y := least (fun r => chain G r x y).

(** The push-forward of G along f joins x and y where neighbours have these values. *)
Definition push_forward {X V} (f : X -> V) (G : X -> X -> Prop) (x y : V) : Prop :=
  exists D E, f D = x /\ f E = y /\ G D E /\ x <> y.

Definition depends {X V O} (f : X -> V) (M : X -> O -> R) : Prop := forall D E, f D = f E -> M D = M E.

(** M satisfies the guarantee for G: at all neighbours. *)
Definition private {N : notion} {X O} (G : X -> X -> Prop) t (s : list O) (M : X -> O -> R) : Prop :=
  forall D E, G D E -> within (N := N) t s (M D) (M E).

Section Metric_form.
  Context {N : notion} {X O : Type} (G : X -> X -> Prop).
  Variable t : option (parameter N).
  Hypothesis allowed_t : permitted t.
  Variable s : list O.
  Variable M : X -> O -> R.
  Hypothesis mechanism_M : forall D, distribution s (M D).

  Lemma along_a_chain : private G t s M -> forall r D E, chain G r D E -> within (at_r (Some r) t) s (M D) (M E).
  Proof.
    intros H r D E C. induction C as [D|r D E F C IH J].
    - apply (equal N). auto.
    - specialize (H E F J). destruct t as [u|]; [|exact I].
      assert (K : holds (at_distance r u) s (M D) (M E)).
      { destruct r; auto. rewrite (distance_none N). exact IH. }
      apply (step N O r u s (M D) (M E) (M F)); auto.
  Qed.

  (** A guarantee at all neighbours is one at all databases, with its parameter by their distance. *)
  Theorem metric_form : (forall D E : X, D = E \/ D <> E) ->
    (private G t s M <-> forall D E r, distance G D E r -> within (at_r r t) s (M D) (M E)).
  Proof.
    intros decide. split.
    - intros H D E [r|] C; [|exact I]. apply along_a_chain, C. exact H.
    - intros H D E J. destruct (decide D E) as [<-|W].
      + destruct t as [u|]; [|exact I]. eapply (weaker N); auto; [|apply (equal N); auto].
        apply none_less. exact allowed_t.
      + assert (K : distance G D E (Some 1%nat)).
        { split; [econstructor; [constructor|exact J]|].
          intros [|n] C; [|lia]. inversion C; subst. contradiction. }
        specialize (H D E _ K). destruct t as [u|]; [|exact I]. simpl in H. rewrite (distance_one N) in H. exact H.
  Qed.
End Metric_form.

(** A mechanism on the values of f, as one on the databases. *)
Theorem own_domain {N : notion} {X V O} (f : X -> V) (G' : V -> V -> Prop) (t : option (parameter N))
  (s : list O) (M : V -> O -> R) : permitted t -> (forall x, distribution s (M x)) -> private G' t s M ->
  forall D E r, distance G' (f D) (f E) r -> within (at_r r t) s (M (f D)) (M (f E)).
Proof. intros T K H D E [r|] C; [|exact I]. apply (along_a_chain G'); auto. apply C. Qed.

Section Minimum_privacy.
  Context {N : notion} {X V O : Type} (f : X -> V) (G : X -> X -> Prop).
  Variable t : option (parameter N).
  Hypothesis allowed_t : permitted t.
  Variable s : list O.
  Variable M : X -> O -> R.
  Hypothesis mechanism_M : forall D, distribution s (M D).
  Hypothesis depends_M : depends f M.

  (** The least distance of databases with the same values: any two of them serve. *)
  Theorem minimum_privacy : private G t s M ->
    forall D E D' E' r, f D' = f D -> f E' = f E -> distance G D' E' r -> within (at_r r t) s (M D) (M E).
  Proof.
    intros H D E D' E' [r|] F F' C; [|exact I].
    rewrite <- (depends_M D' D F), <- (depends_M E' E F'). apply (along_a_chain G); auto. apply C.
  Qed.

  Theorem minimum_privacy_closure : private G t s M ->
    forall D E r, distance (push_forward f G) (f D) (f E) r -> within (at_r r t) s (M D) (M E).
  Proof.
    intros H D E [r|] K; [destruct K as [C _]|exact I]. remember (f D) as x eqn:Ex. remember (f E) as z eqn:Ez.
    revert D E Ex Ez. induction C as [x|r x y z C IH J]; intros D E Ex Ez.
    - subst x. rewrite (depends_M D E Ez). apply (equal N). auto.
    - destruct J as (D' & E' & Ey & Ez' & J & _). rewrite Ez in Ez'.
      specialize (IH D D' Ex (eq_sym Ey)). specialize (H D' E' J). rewrite <- (depends_M E' E Ez').
      destruct t as [u|]; [|exact I].
      assert (K : holds (at_distance r u) s (M D) (M D')).
      { destruct r; auto. rewrite (distance_none N). exact IH. }
      apply (step N O r u s (M D) (M D') (M E')); auto.
  Qed.
End Minimum_privacy.

(** A mechanism that depends on f only is one on the values, with the same guarantee for the push-forward. *)
Theorem push_forward_lemma {N : notion} {X V O} (f : X -> V) (G : X -> X -> Prop) (t : option (parameter N))
  (s : list O) (M : X -> O -> R) (M' : V -> O -> R) : permitted t ->
  (forall x y : V, x = y \/ x <> y) -> (forall D, distribution s (M D)) -> (forall D, M D = M' (f D)) ->
  (private G t s M <-> private (push_forward f G) t s M').
Proof.
  intros T decide K F. split.
  - intros H x y (D & E & <- & <- & J & _). rewrite <- !F. auto.
  - intros H D E J. destruct (decide (f D) (f E)) as [E'|W].
    + rewrite !F, E', <- F. destruct t as [u|]; [|exact I].
      eapply (weaker N); auto; [apply none_less, T|apply (equal N); auto].
    + rewrite !F. apply H. exists D, E. auto.
Qed.

(** ** The push-forward's metric is the closure of the least distances over fibres *)

Section Closure.
  Context {X V : Type} (f : X -> V) (G : X -> X -> Prop).
  Hypothesis decide : forall x y : V, x = y \/ x <> y.

  (** n steps lead from some database with the value x to one with the value y. *)
  Definition over_fibres (n : nat) (x y : V) : Prop := exists D E, f D = x /\ f E = y /\ chain G n D E.

  (** What a sequence of values adds up to. *)
  Inductive added_up : nat -> V -> V -> Prop :=
  | stay x : added_up 0 x x
  | jump n m x y z : added_up n x y -> over_fibres m y z -> added_up (n + m) x z.

  Lemma longer {Y} (H : Y -> Y -> Prop) m x y z :
    chain H m y z -> forall n, chain H n x y -> chain H (n + m) x z.
  Proof.
    induction 1 as [y|m y z w C IH J]; intros n C'; [rewrite Nat.add_0_r; exact C'|].
    rewrite Nat.add_succ_r. econstructor; eauto.
  Qed.

  Lemma mapped n D E : chain G n D E -> exists m, (m <= n)%nat /\ chain (push_forward f G) m (f D) (f E).
  Proof.
    induction 1 as [D|n D E F C (m & L & IH) J]; [exists 0%nat; split; [lia|constructor]|].
    destruct (decide (f E) (f F)) as [W|W].
    - exists m. rewrite <- W. split; [lia|exact IH].
    - exists (S m). split; [lia|]. econstructor; [exact IH|]. exists E, F. auto.
  Qed.

  Lemma closure_at_least n x y : added_up n x y -> exists m, (m <= n)%nat /\ chain (push_forward f G) m x y.
  Proof.
    induction 1 as [x|n k x y z C (m & L & IH) (D & E & <- & <- & J)].
    - exists 0%nat. split; [lia|constructor].
    - destruct (mapped k D E J) as (m' & L' & C'). exists (m + m')%nat. split; [lia|]. eapply longer; eauto.
  Qed.

  Lemma closure_at_most n x y : chain (push_forward f G) n x y -> added_up n x y.
  Proof.
    induction 1 as [x|n x y z C IH (D & E & <- & <- & J & _)]; [constructor|].
    replace (S n) with (n + 1)%nat by lia. econstructor; [exact IH|]. exists D, E.
    repeat split. econstructor; [constructor|exact J].
  Qed.

  Theorem closure x y r : distance (push_forward f G) x y r <-> least (fun n => added_up n x y) r.
  Proof.
    destruct r as [r|]; simpl; split.
    - intros [C L]. split; [apply closure_at_most, C|]. intros n A.
      destruct (closure_at_least n x y A) as (m & L' & C'). specialize (L m C'). lia.
    - intros [A L]. destruct (closure_at_least r x y A) as (m & L' & C).
      pose proof (L m (closure_at_most m x y C)). assert (m = r) as -> by lia. split; [exact C|].
      intros n C'. apply L, closure_at_most, C'.
    - intros H n A. destruct (closure_at_least n x y A) as (m & _ & C). exact (H m C).
    - intros H n C. exact (H n (closure_at_most n x y C)).
  Qed.
End Closure.

(** * The sensitivity profile *)

Section Profile.
  Context {N : notion} {X O : Type} (target : X -> X -> Prop).
  Variable guarantees : list (option (parameter N)).  (* of M_1, …, M_k *)
  Hypothesis allowed_parameters : Forall permitted guarantees.
  Variable r : X -> X -> list (option nat).  (* how far the inputs of M_1, …, M_k are apart *)

  Definition L (v : list (option nat)) : option (parameter N) :=
    total (map (fun '(r, t) => at_r r t) (combine v guarantees)).

  Definition below (v w : list (option nat)) : Prop := Forall2 no_farther v w.

  Lemma L_monotone v w : below v w -> at_most (L v) (L w).
  Proof.
    unfold L. intros H. revert guarantees allowed_parameters.
    induction H as [|a b v w H F IH]; intros [|t g] A; try apply at_most_refl.
    inversion A; subst. simpl. apply add_at_most; [apply at_r_at_most; auto|apply IH; auto].
  Qed.

  (** A bound for the loss at the maximal vectors is one at all neighbours. *)
  Theorem sensitivity_profile (s : list O) (M : X -> O -> R) (profile : list (option nat) -> Prop) b :
    (forall D, distribution s (M D)) ->
    (forall D E, within (L (r D E)) s (M D) (M E)) ->
    (forall D E, target D E -> exists v, profile v /\ below (r D E) v) ->
    (forall v, profile v -> at_most (L v) b) ->
    private target b s M.
  Proof.
    intros K H P B D E J. destruct (P D E J) as (v & U & W).
    apply (within_weaker N (L (r D E))); auto.
    apply (at_most_trans N _ (L v)); [apply L_monotone, W|apply B, U].
  Qed.

  (** Both suprema agree: what bounds the loss on the profile bounds it at all neighbours, and back. *)
  Theorem same_supremum (profile : list (option nat) -> Prop) b :
    (forall D E, target D E -> exists v, profile v /\ below (r D E) v) ->
    (forall v, profile v -> exists D E, target D E /\ r D E = v) ->
    ((forall v, profile v -> at_most (L v) b) <-> (forall D E, target D E -> at_most (L (r D E)) b)).
  Proof.
    intros P I. split.
    - intros B D E J. destruct (P D E J) as (v & U & W). eapply at_most_trans; [apply L_monotone, W|apply B, U].
    - intros B v U. destruct (I v U) as (D & E & J & <-). auto.
  Qed.
End Profile.
