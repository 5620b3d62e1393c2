/**
 * Callbacks that wait until the engine's state is consistent again, in the order in which they were posted. What they
 * post themselves follows after.
 */
export class Outbox<M> {
  private messages: M[] = []
  private read = 0
  private delivering = false

  /** Whether callbacks are being called or wait for it. */
  get busy(): boolean {
    return this.messages.length > 0
  }

  post(message: M): void {
    this.messages.push(message)
  }

  /** Delivers everything, except when called from within a delivery, which then goes on with what was posted. */
  deliver(to: (message: M) => void): void {
    if (this.delivering || this.messages.length === 0) return
    this.delivering = true
    try {
      while (this.read < this.messages.length) {
        const message = this.messages[this.read]
        this.read += 1
        if (message !== undefined) to(message)
      }
      this.messages = []
      this.read = 0
    } finally {
      this.delivering = false
    }
  }
}
