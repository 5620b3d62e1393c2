/** Whether a text holds every word of a query, in any case and order; an empty query is held by every text. */
export function holdsWords(query: string): (text: string) => boolean {
  const words = query.toLowerCase().split(/\s+/)
  return (text) => {
    const lower = text.toLowerCase()
    return words.every((word) => lower.includes(word))
  }
}
