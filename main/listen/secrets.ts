import { createHash, timingSafeEqual } from 'node:crypto'

/** Of equal length for all texts, so that the time of a comparison reveals nothing about them. */
export const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Returns a check whether a text equals the secret. */
export function secretCheck(secret: string): (shown: string) => boolean {
  const wanted = digest(secret)
  return (shown) => timingSafeEqual(digest(shown), wanted)
}
