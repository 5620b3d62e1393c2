import type { EngineEvent, EngineListener } from './events.ts'

/** Who listens to an engine. Whoever tells an event asks `silent` first, so that nobody listening costs nothing. */
export class EventHub<T> {
  private listeners: readonly EngineListener<T>[] = []
  silent = true

  subscribe(listener: EngineListener<T>): () => void {
    // An own function, so that the same listener may subscribe twice.
    const told: EngineListener<T> = (event) => listener(event)
    this.listeners = [...this.listeners, told]
    this.silent = false
    return () => {
      this.listeners = this.listeners.filter((other) => other !== told)
      this.silent = this.listeners.length === 0
    }
  }

  tell(event: EngineEvent<T>): void {
    for (const listener of this.listeners) listener(event)
  }
}
