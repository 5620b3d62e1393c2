/**
 * The first two words of a SHA-256, all that a flow's hash needs, of text that is ASCII as the names of users and
 * namespaces nearly always are. No bytes are encoded, nothing is allocated: it is computed for every new flow.
 */

const BLOCK_WORDS = 16
const ROUNDS = 64
/** The place, in words, of the message's length in the last block. */
const LENGTH_AT = 14

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = []
  for (let n = 2; primes.length < count; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  return primes
}

/** The first 32 bits of what follows the point. */
const fraction = (x: number): number => ((x - Math.floor(x)) * 2 ** 32) | 0

/** By the standard (FIPS 180-4): from the cube roots and the square roots of the first primes. */
const ROUND_CONSTANTS = Int32Array.from(firstPrimes(ROUNDS), (prime) => fraction(Math.cbrt(prime)))
const INITIAL = Int32Array.from(firstPrimes(8), (prime) => fraction(Math.sqrt(prime)))

// Shared by all calls: none of them ever interrupts another.
const schedule = new Int32Array(ROUNDS)
const state = new Int32Array(8)

/** Takes the block in the first words of the schedule into the state. */
function compress(): void {
  for (let i = BLOCK_WORDS; i < ROUNDS; i++) {
    const x = schedule[i - 15] ?? 0
    const y = schedule[i - 2] ?? 0
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    schedule[i] = ((schedule[i - 16] ?? 0) + s0 + (schedule[i - 7] ?? 0) + s1) | 0
  }
  let a = state[0] ?? 0
  let b = state[1] ?? 0
  let c = state[2] ?? 0
  let d = state[3] ?? 0
  let e = state[4] ?? 0
  let f = state[5] ?? 0
  let g = state[6] ?? 0
  let h = state[7] ?? 0
  for (let i = 0; i < ROUNDS; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const t1 = (h + s1 + (g ^ (e & (f ^ g))) + (ROUND_CONSTANTS[i] ?? 0) + (schedule[i] ?? 0)) | 0
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t2 = (s0 + ((a & b) | (c & (a | b)))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  add(0, a)
  add(1, b)
  add(2, c)
  add(3, d)
  add(4, e)
  add(5, f)
  add(6, g)
  add(7, h)
}

function add(index: number, word: number): void {
  state[index] = (state[index] ?? 0) + word
}

/**
 * Writes the first two words of the SHA-256 of the text, signed, into `words`. Answers whether it could: not where the
 * text is not ASCII.
 */
export function asciiSha256(text: string, words: Int32Array): boolean {
  state.set(INITIAL)
  const { length } = text
  let word = 0
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0x7f) return false
    word = (word << 8) | code
    if ((i & 3) !== 3) continue
    schedule[(i >>> 2) & (BLOCK_WORDS - 1)] = word
    if ((i & 63) === 63) compress()
  }
  // A bit that is set, after the bytes of the last word; what `word` holds of earlier ones is shifted out.
  let next = (length >>> 2) & (BLOCK_WORDS - 1)
  schedule[next] = ((word << 8) | 0x80) << (24 - 8 * (length & 3))
  next += 1
  if (next > LENGTH_AT) {
    schedule.fill(0, next, BLOCK_WORDS)
    compress()
    next = 0
  }
  schedule.fill(0, next, LENGTH_AT)
  // In bits, of which a string's length leaves at most 33.
  schedule[LENGTH_AT] = length >>> 29
  schedule[LENGTH_AT + 1] = length << 3
  compress()
  words[0] = state[0] ?? 0
  words[1] = state[1] ?? 0
  return true
}
