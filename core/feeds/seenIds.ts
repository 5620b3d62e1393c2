/**
 * Which of the last requests were there already, in bounded memory: between `most` and twice as many are remembered, the
 * oldest are forgotten together.
 */
export class SeenIds {
  private readonly most: number
  private recent = new Set<string>()
  private before = new Set<string>()

  constructor(most: number) {
    this.most = most
  }

  has(id: string): boolean {
    return this.recent.has(id) || this.before.has(id)
  }

  add(id: string): void {
    if (this.recent.size >= this.most) {
      this.before = this.recent
      this.recent = new Set()
    }
    this.recent.add(id)
  }
}
