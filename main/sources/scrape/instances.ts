/**
 * Identifies the API server that a page came from, when an address may lead to several (a load balancer in front of
 * them).
 *
 * Limits and counters are those of one server process, so pages of different processes must not be mixed into one
 * history. A process is identified by its start time. A later start time is a restart; an earlier one cannot be, so it
 * proves that several servers answer. From then on one of them is followed and the pages of the others are left out.
 */
export interface InstanceTracker {
  /** Judges the start time of a page (Unix seconds; `undefined` when the page has none). */
  judge(startedAt: number | undefined): 'follow' | 'leave-out'
  /** Number of processes seen once several are known to answer; 1 before. */
  count(): number
}

/** The start time is derived from the boot time of the machine, which moves by a second when its clock is adjusted. */
const SAME_PROCESS_SECONDS = 2
/** After this many pages of others in a row the followed process is considered gone. */
const GIVE_UP_AFTER = 20

const isSame = (a: number, b: number): boolean => Math.abs(a - b) <= SAME_PROCESS_SECONDS

export function createInstanceTracker(): InstanceTracker {
  let followed: number | undefined
  let others = 0
  let several = false
  const seen: number[] = []

  return {
    judge(startedAt) {
      if (startedAt === undefined) return 'follow'
      if (!seen.some((start) => isSame(start, startedAt))) seen.push(startedAt)
      if (followed === undefined || isSame(followed, startedAt)) {
        others = 0
        followed ??= startedAt
        return 'follow'
      }
      if (startedAt < followed) several = true
      if (several && others < GIVE_UP_AFTER) {
        others++
        return 'leave-out'
      }
      if (!several) seen.splice(0, seen.length, startedAt)
      others = 0
      followed = startedAt
      return 'follow'
    },
    count: () => (several ? seen.length : 1),
  }
}
