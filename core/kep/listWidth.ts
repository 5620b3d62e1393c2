/** The parameters of a width (KEP-1040, Determining the width). */
export interface ListModel {
  /** A: the most seats that one request can keep busy, which is one core. */
  readonly mostSeats: number
  /** E = 1 / B: objects that cost a seat of CPU. */
  readonly objectsPerSeat: number
  /** Memory of the server for each of its cores, bytes. */
  readonly bytesPerCore: number
  /** Average size of an object, bytes. */
  readonly objectBytes: number
}

/** Objects above which a list needs more of the memory than of the CPU: what a core's share of the memory holds. */
export const breakEven = ({ bytesPerCore, objectBytes }: ListModel): number => bytesPerCore / objectBytes

export interface ListWidth {
  /** min(A, B · N). */
  readonly cpu: number
  /** D · N, with D = A / break-even: at the break-even it is one core, like the CPU. */
  readonly ram: number
  /** The larger of the two. */
  readonly combined: number
  /** min(A, ceil(N / E)), which the proposal uses: whole seats. */
  readonly approximate: number
}

/** Seats of a list that processes `objects`. All but `approximate` have decimals. */
export function listWidth(objects: number, model: ListModel): ListWidth {
  const { mostSeats, objectsPerSeat } = model
  const cpu = Math.min(mostSeats, objects / objectsPerSeat)
  const ram = (mostSeats * objects) / breakEven(model)
  return {
    cpu,
    ram,
    combined: Math.max(cpu, ram),
    approximate: Math.min(mostSeats, Math.ceil(objects / objectsPerSeat)),
  }
}

/** What happens to a request that is wider than its level. The proposal chose `cap`. */
export type TooWide = 'cap' | 'reject'

/** Seats that a level grants a request of this width; `undefined` when it rejects it. */
export function grantedSeats(width: number, levelSeats: number, tooWide: TooWide): number | undefined {
  if (width <= levelSeats) return width
  return tooWide === 'cap' ? levelSeats : undefined
}
