import { useEffect, useState } from 'react'
import type { Place, Shown } from '../../core/prom/measures.ts'
import type { matchersOfAll as MatchersOf } from '../../core/prom/promql.ts'
import { unixMsOf } from '../../core/units.ts'
import { onAnswer } from '../state/answer.ts'
import { connectionStore } from '../state/connection.ts'
import { viewStore } from '../state/view.ts'
import type { MenuEntry } from './floating.tsx'
import { Icon } from './Icon.tsx'
import { Menu, MenuItem } from './Menu.tsx'

/** What a chart or a number shows, for the selected server unless others are named. */
export interface Measured extends Shown {
  readonly servers?: readonly string[]
  /** Covers many instants, which the drawing supplies. Otherwise `atMs`, or the shown sample. */
  readonly ranged?: boolean
}

export interface PromqlCopy {
  readonly label: string
  readonly measured: Measured
}

type MatchersOfAll = typeof MatchersOf

interface Promql {
  readonly promqlOf: (shown: Shown, place: Place) => string | undefined
  readonly matchersOfAll: MatchersOfAll
}

/** The families of all versions are only needed when a menu is open. */
async function load(): Promise<Promql> {
  const [{ promqlOf }, { matchersOfAll }] = await Promise.all([
    import('../../core/prom/measures.ts'),
    import('../../core/prom/promql.ts'),
  ])
  return { promqlOf, matchersOfAll }
}

/** Menu entries that copy expressions; expressions for which the server's version has no metrics are left out. */
function PromqlEntries({ copies }: { readonly copies: readonly PromqlCopy[] }) {
  const [write, setWrite] = useState<Promql>()
  useEffect(() => onAnswer(load, setWrite), [])
  if (write === undefined) return null
  return copies.map(({ label, measured }) => {
    const atMs = measured.ranged === true ? undefined : (measured.atMs ?? shownInstant())
    const text = write.promqlOf({ ...measured, atMs }, placeOf(measured, write.matchersOfAll))
    return (
      text !== undefined && (
        <MenuItem
          key={label}
          label={label}
          onSelect={() => void navigator.clipboard.writeText(text).catch(() => undefined)}
        />
      )
    )
  })
}

/** The Export menu of a chart or a table: files first, then expressions. */
export function ExportMenu(props: {
  readonly of: string
  readonly entries: readonly MenuEntry[]
  readonly copies: readonly PromqlCopy[]
}) {
  const { of, entries, copies } = props
  return (
    <Menu entries={entries} more={copies.length > 0 && <PromqlEntries copies={copies} />}>
      <button type="button" className="icon-button" aria-label={`Export ${of}`} title="Export">
        <Icon name="more" />
      </button>
    </Menu>
  )
}

/** Unix milliseconds of the shown sample; `undefined` while the present one is shown. */
function shownInstant(): number | undefined {
  const { mode, server } = viewStore.getState()
  return mode === 'live' || server === undefined ? undefined : unixMsOf(server.at)
}

function placeOf({ servers }: Measured, matchersOfAll: MatchersOfAll): Place {
  const { connection } = connectionStore.getState()
  const { server, frame } = viewStore.getState()
  const ids = servers ?? (server === undefined ? [] : [server.id])
  const found = (connection?.servers ?? []).flatMap(({ id, prometheus }) =>
    prometheus !== undefined && ids.includes(id) ? [prometheus] : [],
  )
  const intervals = found.flatMap(({ intervalMs }) => intervalMs ?? [])
  return {
    version: frame?.servers.find(({ id }) => id === ids[0])?.version,
    // Where one of the servers is not known in Prometheus, no label matches all of them.
    matchers: found.length === ids.length ? matchersOfAll(found.map(({ labels }) => labels)) : [],
    intervalMs: intervals.length === 0 ? undefined : Math.max(...intervals),
    native: found[0]?.native,
  }
}
