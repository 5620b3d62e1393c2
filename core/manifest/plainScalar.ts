/**
 * What a word without quotes means to the YAML reader of kubectl and of the API server. It is YAML 1.1, but for base 60
 * and dates, which stay strings: `on` is true, `0700` is 448, `7_00` is 700. Measured with kubectl v1.36.3.
 */
export function resolvePlain(source: string): null | boolean | number | string {
  if (NULLS.has(source)) return null
  if (TRUES.has(source)) return true
  if (FALSES.has(source)) return false
  return numberOf(source) ?? source
}

/** Words that YAML 1.1 takes for a boolean and most people for a word. */
export const isBooleanWord = (source: string): boolean => BOOLEAN_WORD.test(source)

const BOOLEAN_WORD = /^(?:y|yes|on|n|no|off)$/i
const NULLS = new Set(['', '~', 'null', 'Null', 'NULL'])
const TRUES = new Set(['true', 'True', 'TRUE', 'y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON'])
const FALSES = new Set(['false', 'False', 'FALSE', 'n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF'])

const INFINITIES = new Map([
  ['.inf', Infinity],
  ['.Inf', Infinity],
  ['.INF', Infinity],
  ['+.inf', Infinity],
  ['+.Inf', Infinity],
  ['+.INF', Infinity],
  ['-.inf', -Infinity],
  ['-.Inf', -Infinity],
  ['-.INF', -Infinity],
  ['.nan', NaN],
  ['.NaN', NaN],
  ['.NAN', NaN],
])

const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/
const BASES: readonly (readonly [RegExp, number])[] = [
  [/^0[xX]([\da-fA-F]+)$/, 16],
  [/^0[bB]([01]+)$/, 2],
  [/^0[oO]?([0-7]+)$/, 8],
]

function numberOf(source: string): number | undefined {
  const special = INFINITIES.get(source)
  if (special !== undefined) return special
  if (!/^[-+.\d]/.test(source)) return undefined
  const digits = source.startsWith('.') ? source : source.replaceAll('_', '')
  const negative = digits.startsWith('-')
  const unsigned = digits.replace(/^[-+]/, '')
  for (const [pattern, base] of BASES) {
    const found = pattern.exec(unsigned)?.[1]
    if (found !== undefined) return (negative ? -1 : 1) * parseInt(found, base)
  }
  if (!FLOAT.test(digits)) return undefined
  const number = Number(digits)
  // Out of range of a double, it stays a string.
  return Number.isFinite(number) ? number : undefined
}

/** Whether a number is not the decimal number that people read: octal, as in `0700`. */
export const isOctal = (source: string): boolean => /^[-+]?0[0-7]+$/.test(source.replaceAll('_', ''))
