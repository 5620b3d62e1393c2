/**
 * What was computed for the flows seen lately. At most twice `capacity` are remembered, and those used since the last
 * turn of the generations survive the next one.
 */
export class FlowCache<F> {
  private readonly capacity: number
  private young = new Map<string, F>()
  private old = new Map<string, F>()

  constructor(capacity: number) {
    this.capacity = capacity
  }

  get(distinguisher: string): F | undefined {
    const young = this.young.get(distinguisher)
    if (young !== undefined || this.old.size === 0) return young
    const old = this.old.get(distinguisher)
    if (old !== undefined) this.put(distinguisher, old)
    return old
  }

  put(distinguisher: string, flow: F): void {
    if (this.young.size >= this.capacity) {
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(distinguisher, flow)
  }

  get size(): number {
    return this.young.size + this.old.size
  }
}
