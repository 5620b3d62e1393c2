import type { Falsehood } from './incident.ts'
import { account, writes, type Pace } from './senders.ts'

/** Accounts that do their work and harm nobody. */
export const orders = account('shop', 'orders')
export const cart = account('shop', 'cart')
export const invoicer = account('billing', 'invoicer')
export const innocent = [
  writes(orders, { workers: 3, thinkMs: 400 }, { holdMs: 80 }),
  writes(cart, { workers: 2, thinkMs: 500 }, { holdMs: 60 }),
  writes(invoicer, { workers: 2, thinkMs: 600 }, { holdMs: 100 }),
]

/** That one of these is said to flood, or to be the cause. */
export const blames = (names: string, why: string): Falsehood => ({
  why,
  words: new RegExp(
    String.raw`(?:${names})\b[^.]{0,40} (?:sends? most|floods|holds? most|is the (?:cause|culprit))|(?:caused by|slow down|because of) (?:[a-z-]+:)?(?:${names})\b`,
    'i',
  ),
})
export const QUEUE_ADVICE: Falsehood = {
  why: 'longer queues only let the flood wait longer',
  words: /(?:longer|lengthen|raise)[^.]*queue(?:LengthLimit| length|s\b)/i,
}
export const EDIT_BLAMED: Falsehood = { why: 'nothing was edited', words: /recent edit|an edit (?:of|by|to)|undo/i }
export const RESTART_BLAMED: Falsehood = { why: 'no server restarted', words: /restarted|fewer seats than before/i }

export const CONSEQUENCE: Falsehood = {
  why: 'that requests take longer follows from the load, and no webhook is slow',
  words: /so the server itself or its etcd is slow|Look at what only these requests use/,
}

export const after = (at: number, pace: Pace): Pace => ({ ...pace, from: at })

export const team = (index: number) => account(`team-${String(index + 1).padStart(2, '0')}`, 'app')
export const SERVER_BLAMED: Falsehood = { why: 'the server is not slow', words: /^\d\. .*server slower/im }
