/**
 * The words of a command as a shell would split them: quotes, backslashes, line continuations. Variables stay as they
 * are written. `undefined` when a quote is not closed. Stops at a pipe, a redirection or the next command.
 */
export function shellWords(text: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i)
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (character === '\\' && quote === '"' && '"\\$`\n'.includes(text.charAt(i + 1))) word += text.charAt(++i)
      else word += character
    } else if (character === "'" || character === '"') {
      quote = character
      word ??= ''
    } else if (character === '\\') {
      i += 1
      // A line that goes on in the next one.
      if (/^\r?\n/.test(text.slice(i, i + 2))) i += text.charAt(i) === '\r' ? 1 : 0
      else word = (word ?? '') + text.charAt(i)
    } else if (/[|;&<>]/.test(character)) {
      break
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      word = (word ?? '') + character
    }
  }
  if (quote !== '') return undefined
  return word === undefined ? words : [...words, word]
}
