import { plain, plural } from '../text/format.ts'
import { type FeedArrival, quoted, type Unlisted } from './request.ts'

/** What KEP-1040 asks to look for in the log of a server (Troubleshooting), counted. */
export class FeedFindings {
  private readonly unlisted = new Map<Unlisted, number>()
  private timeouts = 0
  private lastTimeout = ''

  noteUnlisted(objects: Unlisted): void {
    this.unlisted.set(objects, (this.unlisted.get(objects) ?? 0) + 1)
  }

  noteTimeout({ verb, requestURI }: Pick<FeedArrival, 'verb' | 'requestURI'>): void {
    this.timeouts += 1
    this.lastTimeout = `${verb} ${quoted(requestURI)}`
  }

  get sentences(): readonly string[] {
    return [
      ...[...this.unlisted].map(
        ([objects, count]) =>
          `The server logged ${plain.counted(count, 'time')} that it was unable to list ${objects} objects: until it can, their changes have no effect on it.`,
      ),
      ...(this.timeouts === 0
        ? []
        : [
            `${plain.counted(this.timeouts, 'request')} ran out of time (504), last ${this.lastTimeout}: ${plural(this.timeouts, 'it may have', 'they may have')} held seats until then.`,
          ]),
    ]
  }
}
