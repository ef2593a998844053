;; HashWX, designed by tevador: makes the programs of a function, and hashes nonces with it. Written anew from a description
;; of the algorithm, without code of the original (docs/licences.md).
;;
;; The kinds of a program's slots are always RMCG, XAS, MUL, XAS, MUL, XAS, MUL, (jump), XAS. So programs run without a
;; branch for the opcode: `make` turns each opcode into masks, and the same few instructions execute all opcodes of a kind.
;;
;; Memory, in bytes:
;;     0   seed, 32; its last 16 are the input key
;;    64   registers R0 to R9
;;   160   shuffle of the registers, 8 bytes
;;   512   programs: opcode, dst, src, imm for each of 8 slots, 32 programs
;;  2048   the memory of a hash, 2,048
;;  4096   625 permutations of 8 bytes
;;  9216   programs as they run, 320 for each: slot 0, three times slots XAS and MUL (80), slot 7
;;           RMCG  addresses of dst and src, n             (16)
;;           XAS   addresses of dst and src, n, A, B, M, X (48)
;;           MUL   addresses of dst and src, n, P, Q       (32)
;; 20480   512 words that the programs are made from
(module
  (memory (export "memory") 1)

  ;; Values that a permutation may have at each place, as bits of a byte each; place 0 in the lowest byte.
  (global $allowed i64 (i64.const 0x05abcaeaf2fafcd5))
  (global $permutations (mut i32) (i32.const 4096))

  ;; Writes all permutations that begin with the `$place` values in `$begun`, in lexicographic order.
  (func $permute (param $place i32) (param $used i32) (param $begun i64)
    (local $value i32) (local $bit i32)
    (if (i32.eq (local.get $place) (i32.const 8)) (then
      (i64.store (global.get $permutations) (local.get $begun))
      (global.set $permutations (i32.add (global.get $permutations) (i32.const 8)))
      (return)))
    (loop $values
      (local.set $bit (i32.shl (i32.const 1) (local.get $value)))
      (if (i32.and (i32.eqz (i32.and (local.get $used) (local.get $bit)))
                   (i32.ne (i32.and (local.get $bit) (i32.wrap_i64 (i64.shr_u (global.get $allowed)
                     (i64.extend_i32_u (i32.shl (local.get $place) (i32.const 3)))))) (i32.const 0)))
        (then (call $permute (i32.add (local.get $place) (i32.const 1)) (i32.or (local.get $used) (local.get $bit))
          (i64.or (local.get $begun) (i64.shl (i64.extend_i32_u (local.get $value))
            (i64.extend_i32_u (i32.shl (local.get $place) (i32.const 3))))))))
      (br_if $values (i32.lt_u (local.tee $value (i32.add (local.get $value) (i32.const 1))) (i32.const 8)))))
  (func $start (call $permute (i32.const 0) (i32.const 0) (i64.const 0)))
  (start $start)

  ;; Writes the word stream of a key and a salt, four words at a time.
  (func $stream (param $k0 i64) (param $k1 i64) (param $salt i64) (param $at i32) (param $end i32)
    (local $a i64) (local $b i64) (local $c i64) (local $d i64) (local $rounds i32)
    (local.set $a (i64.xor (local.get $k0) (i64.const 0x736f6d6570736575)))
    (local.set $b (i64.xor (local.get $k1) (i64.const 0x646f72616e646f6d)))
    (local.set $c (i64.xor (local.get $k0) (i64.const 0x6c7967656e657261)))
    (local.set $d (i64.xor (i64.xor (local.get $k1) (i64.const 0x7465646279746573)) (local.get $salt)))
    (local.set $rounds (i32.const 4))
    (block $done (loop $round
      (local.set $a (i64.add (local.get $a) (local.get $b)))
      (local.set $c (i64.add (local.get $c) (local.get $d)))
      (local.set $b (i64.xor (i64.rotl (local.get $b) (i64.const 13)) (local.get $a)))
      (local.set $d (i64.xor (i64.rotl (local.get $d) (i64.const 16)) (local.get $c)))
      (local.set $c (i64.add (local.get $c) (local.get $b)))
      (local.set $a (i64.add (i64.rotl (local.get $a) (i64.const 32)) (local.get $d)))
      (local.set $b (i64.xor (i64.rotl (local.get $b) (i64.const 17)) (local.get $c)))
      (local.set $d (i64.xor (i64.rotl (local.get $d) (i64.const 21)) (local.get $a)))
      (local.set $c (i64.rotl (local.get $c) (i64.const 32)))
      ;; The salt enters once, after the first round; 187 is 0xbb.
      (if (i32.eq (local.get $rounds) (i32.const 4)) (then
        (local.set $a (i64.xor (local.get $a) (local.get $salt)))
        (local.set $c (i64.xor (local.get $c) (i64.const 187)))))
      (br_if $round (i32.and (local.tee $rounds (i32.sub (local.get $rounds) (i32.const 1))) (i32.const 7)))
      (i64.store offset=0 (local.get $at) (local.get $d))
      (i64.store offset=8 (local.get $at) (local.get $c))
      (i64.store offset=16 (local.get $at) (local.get $b))
      (i64.store offset=24 (local.get $at) (local.get $a))
      (br_if $done (i32.ge_u (local.tee $at (i32.add (local.get $at) (i32.const 32))) (local.get $end)))
      (local.set $a (i64.xor (local.get $a) (local.get $k0)))
      (local.set $b (i64.xor (local.get $b) (local.get $k1)))
      (local.set $c (i64.xor (local.get $c) (local.get $k0)))
      (local.set $d (i64.xor (local.get $d) (local.get $k1)))
      ;; 8 + 4, which counts down to a multiple of 8 as well, but never is 4 before a round.
      (local.set $rounds (i32.const 12))
      (br $round))))

  ;; Writes opcode, dst, src and imm of a slot, and the addresses of its registers where it runs.
  (func $put (param $raw i32) (param $run i32) (param $opcode i32) (param $dst i32) (param $src i32) (param $imm i32)
    (i32.store (local.get $raw) (i32.or (i32.or (local.get $opcode) (i32.shl (local.get $dst) (i32.const 8)))
      (i32.or (i32.shl (local.get $src) (i32.const 16)) (i32.shl (local.get $imm) (i32.const 24)))))
    (i32.store offset=0 (local.get $run) (i32.add (i32.const 64) (i32.shl (local.get $dst) (i32.const 3))))
    (i32.store offset=4 (local.get $run) (i32.add (i32.const 64) (i32.shl (local.get $src) (i32.const 3))))
    (i64.store offset=8 (local.get $run) (i64.extend_i32_u (local.get $imm))))

  ;; Makes one program from its 16 words at `$g`.
  (func $makeProgram (param $g i32) (param $raw i32) (param $run i32)
    (local $i i32) (local $j i32) (local $sources i32) (local $opcode i32) (local $w i32) (local $n i64) (local $a i64)
    (i32.store8 (i32.const 160) (i32.const 0))
    (local.set $i (i32.const 1))
    (loop $shuffle
      (local.set $j (i32.add (i32.const 160) (i32.rem_u
        (i32.load (i32.sub (i32.add (local.get $g) (i32.shl (local.get $i) (i32.const 3))) (i32.const 4)))
        (i32.add (local.get $i) (i32.const 1)))))
      (i32.store8 offset=160 (local.get $i) (i32.load8_u (local.get $j)))
      (i32.store8 (local.get $j) (local.get $i))
      (br_if $shuffle (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 8))))
    (local.set $sources (i32.add (i32.const 4096) (i32.shl (i32.wrap_i64
      (i64.rem_u (i64.load offset=56 (local.get $g)) (i64.const 625))) (i32.const 3))))
    (call $put (local.get $raw) (local.get $run) (i32.const 3) (i32.load8_u (i32.const 160))
      (i32.add (i32.const 8) (i32.and (i32.load offset=56 (local.get $g)) (i32.const 1)))
      (i32.add (i32.const 1) (i32.wrap_i64 (i64.rem_u (i64.load offset=64 (local.get $g)) (i64.const 63)))))
    (local.set $run (i32.add (local.get $run) (i32.const 16)))
    (local.set $i (i32.const 1))
    (loop $pairs
      (local.set $raw (i32.add (local.get $raw) (i32.const 4)))
      (local.set $opcode (i32.rem_u (i32.load (local.get $g)) (i32.const 9)))
      ;; 63 is a multiple of 3, so one remainder gives the other.
      (local.set $w (i32.wrap_i64 (i64.rem_u (i64.load offset=72 (local.get $g)) (i64.const 63))))
      (if (i32.ge_u (local.get $opcode) (i32.const 3)) (then
        (local.set $w (i32.rem_u (local.get $w) (i32.const 3)))))
      (call $put (local.get $raw) (local.get $run) (i32.add (i32.const 4) (local.get $opcode))
        (i32.load8_u offset=160 (local.get $i))
        (i32.load8_u offset=160 (i32.load8_u (i32.add (local.get $sources) (local.get $i))))
        (i32.add (i32.const 1) (local.get $w)))
      ;; A: the bits of the shifted value that come from a rotation; B: those that are the sign.
      (local.set $a (select (i64.const -1)
        (i64.shr_u (i64.const -1) (i64.extend_i32_u (i32.add (i32.const 1) (local.get $w))))
        (i32.lt_u (local.get $opcode) (i32.const 3))))
      (i64.store offset=16 (local.get $run) (local.get $a))
      (i64.store offset=24 (local.get $run) (select (i64.xor (local.get $a) (i64.const -1)) (i64.const 0)
        (i32.eq (i32.div_u (local.get $opcode) (i32.const 3)) (i32.const 1))))
      ;; M: all ones to subtract; X: all ones for an exclusive or, which is a sum less its carries.
      (local.set $j (i32.rem_u (local.get $opcode) (i32.const 3)))
      (i64.store offset=32 (local.get $run) (select (i64.const -1) (i64.const 0) (i32.eq (local.get $j) (i32.const 2))))
      (i64.store offset=40 (local.get $run) (select (i64.const -1) (i64.const 0) (i32.eqz (local.get $j))))
      (if (i32.eq (local.get $i) (i32.const 7)) (then (return)))
      (local.set $raw (i32.add (local.get $raw) (i32.const 4)))
      (local.set $run (i32.add (local.get $run) (i32.const 48)))
      (local.set $opcode (i32.rem_u (i32.load offset=8 (local.get $g)) (i32.const 3)))
      (local.set $w (i32.wrap_i64 (i64.rem_u (i64.load offset=80 (local.get $g)) (i64.const 3))))
      ;; 1, 9 or 33.
      (local.set $w (i32.add (i32.add (i32.const 1) (i32.shl (local.get $w) (i32.const 3)))
        (i32.shl (i32.and (local.get $w) (i32.const 2)) (i32.const 3))))
      (call $put (local.get $raw) (local.get $run) (local.get $opcode)
        (i32.load8_u offset=161 (local.get $i))
        (i32.load8_u offset=160 (i32.load8_u offset=1 (i32.add (local.get $sources) (local.get $i))))
        (local.get $w))
      ;; or: x + n - (x & n); exclusive or: x + n - 2(x & n).
      (local.set $n (i64.extend_i32_u (local.get $w)))
      (i64.store offset=16 (local.get $run) (select (i64.const 0) (local.get $n) (i32.eq (local.get $opcode) (i32.const 2))))
      (i64.store offset=24 (local.get $run) (select (local.get $n) (i64.const 0) (i32.eq (local.get $opcode) (i32.const 1))))
      (local.set $run (i32.add (local.get $run) (i32.const 32)))
      (local.set $g (i32.add (local.get $g) (i32.const 16)))
      (local.set $i (i32.add (local.get $i) (i32.const 2)))
      (br $pairs)))

  ;; Makes the programs of the seed in memory.
  (func (export "make") (local $i i32)
    (call $stream (i64.load (i32.const 0)) (i64.load (i32.const 8)) (i64.const -1) (i32.const 20480) (i32.const 24576))
    (loop $programs
      (call $makeProgram (i32.add (i32.const 20480) (i32.shl (local.get $i) (i32.const 7)))
        (i32.add (i32.const 512) (i32.shl (local.get $i) (i32.const 5)))
        (i32.add (i32.const 9216) (i32.mul (local.get $i) (i32.const 320))))
      (br_if $programs (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (i32.const 32)))))

  ;; Runs all programs once. `$reads`: 0 in the phase that writes the memory, 1 in the phase that reads it.
  (func $phase (param $reads i32)
    (local $program i32) (local $slot i32) (local $pairs i32) (local $out i32) (local $jumps i32) (local $at i32)
    (local $x i64) (local $s i64) (local $f i64)
    (local.set $program (i32.const 9216))
    (local.set $out (i32.const 4088))
    (loop $programs
      (loop $again
        (local.set $f (i64.rotr
          (i64.mul (i64.load (i32.load (local.get $program))) (i64.load (i32.load offset=4 (local.get $program))))
          (i64.load offset=8 (local.get $program))))
        (i64.store (i32.load (local.get $program)) (local.get $f))
        (local.set $slot (i32.add (local.get $program) (i32.const 16)))
        (local.set $pairs (i32.const 3))
        (loop $slots
          (local.set $at (i32.load offset=4 (local.get $slot)))
          (local.set $s (i64.load (select
            (i32.add (i32.const 2048) (i32.and (i32.load (local.get $at)) (i32.const 2040)))
            (local.get $at) (local.get $reads))))
          (local.set $x (i64.load (i32.load (local.get $slot))))
          (local.set $x (i64.or
            (i64.and (i64.rotr (local.get $x) (i64.load offset=8 (local.get $slot))) (i64.load offset=16 (local.get $slot)))
            (i64.and (i64.shr_s (local.get $x) (i64.const 63)) (i64.load offset=24 (local.get $slot)))))
          (i64.store (i32.load (local.get $slot)) (i64.sub
            (i64.add (local.get $x) (i64.sub
              (i64.xor (local.get $s) (i64.load offset=32 (local.get $slot))) (i64.load offset=32 (local.get $slot))))
            (i64.shl (i64.and (i64.and (local.get $x) (local.get $s)) (i64.load offset=40 (local.get $slot))) (i64.const 1))))
          (local.set $at (i32.load offset=52 (local.get $slot)))
          (local.set $s (i64.load (select
            (i32.add (i32.const 2048) (i32.and (i32.load (local.get $at)) (i32.const 2040)))
            (local.get $at) (local.get $reads))))
          (local.set $x (i64.load (i32.load offset=48 (local.get $slot))))
          (i64.store (i32.load offset=48 (local.get $slot)) (i64.mul (local.get $s) (i64.sub
            (i64.add (local.get $x) (i64.load offset=56 (local.get $slot)))
            (i64.add (i64.and (local.get $x) (i64.load offset=64 (local.get $slot)))
              (i64.and (local.get $x) (i64.load offset=72 (local.get $slot)))))))
          (local.set $slot (i32.add (local.get $slot) (i32.const 80)))
          (br_if $slots (local.tee $pairs (i32.sub (local.get $pairs) (i32.const 1)))))
        ;; 32 jumps in a phase at most: 32 itself has the bit that is tested.
        (if (i32.eqz (i32.and (i32.or (i32.wrap_i64 (local.get $f)) (local.get $jumps)) (i32.const 32))) (then
          (local.set $jumps (i32.add (local.get $jumps) (i32.const 1)))
          (br $again))))
      (local.set $at (i32.load offset=4 (local.get $slot)))
      (local.set $s (i64.load (select
        (i32.add (i32.const 2048) (i32.and (i32.load (local.get $at)) (i32.const 2040)))
        (local.get $at) (local.get $reads))))
      (local.set $x (i64.load (i32.load (local.get $slot))))
      (local.set $x (i64.or
        (i64.and (i64.rotr (local.get $x) (i64.load offset=8 (local.get $slot))) (i64.load offset=16 (local.get $slot)))
        (i64.and (i64.shr_s (local.get $x) (i64.const 63)) (i64.load offset=24 (local.get $slot)))))
      (i64.store (i32.load (local.get $slot)) (i64.sub
        (i64.add (local.get $x) (i64.sub
          (i64.xor (local.get $s) (i64.load offset=32 (local.get $slot))) (i64.load offset=32 (local.get $slot))))
        (i64.shl (i64.and (i64.and (local.get $x) (local.get $s)) (i64.load offset=40 (local.get $slot))) (i64.const 1))))
      (if (i32.eqz (local.get $reads)) (then
        (local.set $at (i32.const 64))
        (loop $store
          (i64.store (local.get $out) (i64.load (local.get $at)))
          (local.set $out (i32.sub (local.get $out) (i32.const 8)))
          (br_if $store (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 8))) (i32.const 128))))))
      (br_if $programs
        (i32.lt_u (local.tee $program (i32.add (local.get $program) (i32.const 320))) (i32.const 19456)))))

  ;; The last word of one round on four words.
  (func $finish (param $a i64) (param $b i64) (param $c i64) (param $d i64) (result i64)
    (local.set $a (i64.add (local.get $a) (local.get $b)))
    (local.set $c (i64.add (local.get $c) (local.get $d)))
    (local.set $d (i64.xor (i64.rotl (local.get $d) (i64.const 16)) (local.get $c)))
    (i64.xor (i64.rotl (local.get $d) (i64.const 21)) (i64.add (i64.rotl (local.get $a) (i64.const 32)) (local.get $d))))

  ;; Hashes a nonce with the function that was made last.
  (func $hash (export "hash") (param $nonce i64) (result i64)
    (call $stream (i64.load (i32.const 16)) (i64.load (i32.const 24)) (local.get $nonce) (i32.const 64) (i32.const 128))
    (i64.store (i32.const 128) (i64.or (i64.and (i64.load (i32.const 96)) (i64.const -8)) (i64.const 3)))
    (i64.store (i32.const 136) (i64.or (i64.and (i64.load (i32.const 120)) (i64.const -8)) (i64.const 5)))
    (call $phase (i32.const 0))
    (call $phase (i32.const 1))
    (i64.xor (i64.load (i32.const 136)) (i64.xor
      (call $finish (i64.load (i32.const 64)) (i64.load (i32.const 72)) (i64.load (i32.const 80)) (i64.load (i32.const 88)))
      (call $finish (i64.load (i32.const 96)) (i64.load (i32.const 104)) (i64.load (i32.const 112)) (i64.load (i32.const 120))))))

  ;; Hashes `$count` nonces from `$nonce`. Returns the offset of the first whose hash is below `$threshold`, or -1.
  (func (export "scan") (param $nonce i64) (param $count i32) (param $threshold i64) (result i32) (local $i i32)
    (block $none (loop $next
      (br_if $none (i32.ge_u (local.get $i) (local.get $count)))
      (if (i64.lt_u (call $hash (i64.add (local.get $nonce) (i64.extend_i32_u (local.get $i)))) (local.get $threshold))
        (then (return (local.get $i))))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $next)))
    (i32.const -1)))
