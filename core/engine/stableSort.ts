/** Below this, moving one by one is faster than merging. */
const RUN = 12

/**
 * Puts the indexes 0 … count − 1 into `order`, so that their keys ascend and equal ones keep their order. `scratch` is
 * `count` long, too.
 */
export function sortIndexes(keys: Float64Array, order: Int32Array, scratch: Int32Array, count: number): void {
  for (let start = 0; start < count; start += RUN) insertionSort(keys, order, start, Math.min(start + RUN, count))
  let from = order
  let to = scratch
  for (let width = RUN; width < count; width *= 2) {
    for (let start = 0; start < count; start += 2 * width) {
      merge(keys, from, to, start, Math.min(start + width, count), Math.min(start + 2 * width, count))
    }
    ;[from, to] = [to, from]
  }
  if (from !== order) for (let i = 0; i < count; i++) order[i] = from[i] ?? 0
}

function insertionSort(keys: Float64Array, order: Int32Array, start: number, end: number): void {
  for (let i = start; i < end; i++) {
    const key = keys[i] ?? 0
    let place = i
    while (place > start && (keys[order[place - 1] ?? 0] ?? 0) > key) {
      order[place] = order[place - 1] ?? 0
      place -= 1
    }
    order[place] = i
  }
}

function merge(keys: Float64Array, from: Int32Array, to: Int32Array, start: number, middle: number, end: number): void {
  let left = start
  let right = middle
  for (let place = start; place < end; place++) {
    const takeLeft = right >= end || (left < middle && (keys[from[left] ?? 0] ?? 0) <= (keys[from[right] ?? 0] ?? 0))
    to[place] = (takeLeft ? from[left] : from[right]) ?? 0
    if (takeLeft) left += 1
    else right += 1
  }
}
