import '../../../renderer/state/strictPolicy.ts'
import type { LiveState } from '../../../core/contract/live.ts'
import { SettingsSchema } from '../../../core/contract/settings.ts'
import { mount } from '../../../renderer/app/mount.tsx'
import { setClient } from '../../../renderer/state/client.ts'
import { storyClient, type StoryClient } from '../memoryClient.ts'

/*
 * The whole console on a synthetic story, for looking at screens and for measuring paints:
 * ?levels=30&servers=3&history=600&connected=no&theme=light&interval=1000&queues=4096&live=observe&rate=1000&before=100000
 */
const params = new URLSearchParams(location.search)
const number = (name: string, usual: number): number => Number(params.get(name) ?? usual)

const liveMode = (name: string | null): LiveState['mode'] => LIVE_MODES.find((mode) => mode === name) ?? 'observe'
const LIVE_MODES = ['enforce', 'observe', 'feed', 'simulation'] as const

declare global {
  interface Window {
    /** The story's controls, for scripts that drive this page. */
    story?: StoryClient
  }
}

const story = storyClient({
  levels: number('levels', 8),
  servers: number('servers', 3),
  history: number('history', 600),
  intervalMs: number('interval', 1_000),
  connected: params.get('connected') !== 'no',
  ...(params.has('live')
    ? {
        live: { mode: liveMode(params.get('live')), perSecond: number('rate', 34.6), before: number('before', 10_000) },
      }
    : {}),
  ...(params.has('queues') ? { manyQueues: number('queues', 0) } : {}),
  settings: SettingsSchema.parse({ theme: params.get('theme') ?? 'system' }),
})
window.story = story
setClient(story.client)
mount(story.client)
