const number = (value: number): string => value.toLocaleString('en-US')

/** What went past a proxy, in one sentence; `undefined` when nothing did, as far as the member says. */
export function bypassText({
  answered,
  outside,
  seconds,
}: {
  readonly answered: number
  readonly outside: number
  readonly seconds: number
}): string | undefined {
  return outside === 0
    ? undefined
    : `At least ${number(outside)} of ${number(answered)} requests for keys that the member answered in the last ${seconds} s did not come through this proxy, so no rule here limits them.`
}
