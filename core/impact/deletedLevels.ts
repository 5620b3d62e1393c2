import { classifyingConfiguration } from '../classify/configuration.ts'
import { defaultLevel } from '../config/defaulting.ts'
import type { ObjectSet } from '../config/objects.ts'
import type { ServerFrame } from '../frame/frame.ts'
import { reportedServerLimit } from './serverLimit.ts'

/**
 * The frame without the levels that were deleted: `deleted` names them. kube-apiserver exports the last series of a
 * deleted level until it restarts, so that adding them up counts seats that do not exist.
 *
 * A level is deleted when no object stands for it, no request of it executes or waits, and the nominal limits of all
 * others are exactly those of a server without it. A level that still drains has its share of the seats, and so has one
 * that was created a moment ago; neither is deleted. `objects` may be older than the page.
 */
export function withoutDeleted(frame: ServerFrame, objects: ObjectSet): ServerFrame {
  const stored = new Set(objects.levels.map(({ metadata }) => metadata.name))
  const serverLimit = reportedServerLimit(frame)
  if (serverLimit === undefined || stored.size === 0) return frame
  if (frame.levels.every(({ name }) => stored.has(name))) return frame

  const configured = classifyingConfiguration(
    { levels: objects.levels.map(defaultLevel), schemas: [] },
    serverLimit,
  ).levels
  const orphans = frame.levels.filter(({ name }) => !configured.has(name))
  const rest = frame.levels.filter(({ name }) => configured.has(name))
  const resting = orphans.every(
    ({ seats, requests }) =>
      seats.executing === 0 &&
      (seats.queued ?? 0) === 0 &&
      (requests.executing ?? 0) === 0 &&
      (requests.queued ?? 0) === 0,
  )
  const shared = rest.every(({ name, limits }) => configured.get(name)?.limits.nominal === limits.nominal)
  if (orphans.length === 0 || !resting || !shared || rest.length < configured.size) return frame
  return { ...frame, levels: rest, deleted: orphans.map(({ name }) => name) }
}
