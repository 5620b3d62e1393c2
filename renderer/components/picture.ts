/** The text above a drawing. */
export interface Caption {
  /** Title, unit and level. */
  readonly heading: string
  /** Source, server and times. */
  readonly origin: readonly string[]
  /** One line for each. */
  readonly legends: readonly (HTMLElement | null)[]
}

const LINE = 20
const MARGIN = 12
const GAP = 8

/**
 * A drawing (SVG or canvas elements inside one box) as a PNG on the current theme's background, at twice its size. The
 * caption is wrapped to its width.
 */
export async function pictureOf(box: HTMLElement, { heading, origin, legends }: Caption): Promise<Blob> {
  const scale = 2
  const colours = getComputedStyle(document.documentElement)
  const family = colours.getPropertyValue('--font-ui')
  const titled = {
    font: `600 ${colours.getPropertyValue('--fs-12-5')} ${family}`,
    colour: colours.getPropertyValue('--text'),
  }
  const quiet = {
    font: `400 ${colours.getPropertyValue('--fs-11')} ${family}`,
    colour: colours.getPropertyValue('--text-2'),
  }
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('This browser does not provide a canvas.')
  const keys = legends.flatMap((element) => {
    const extent = element === null ? undefined : extentOf(element)
    return element === null || extent === undefined ? [] : [{ element, extent }]
  })
  const frame = box.getBoundingClientRect()
  const width = Math.ceil(Math.max(frame.width, ...keys.map(({ extent }) => extent.width + 2 * MARGIN)))
  const lines = [
    ...wrapped(context, heading.split(' '), ' ', titled, width - 2 * MARGIN),
    ...wrapped(context, origin, ' · ', quiet, width - 2 * MARGIN),
  ]
  const textHeight = GAP + LINE * lines.length
  const above = keys.reduce((height, { extent }) => height + extent.height + GAP, textHeight)
  // Setting the size clears the canvas and the state of its context.
  canvas.width = width * scale
  canvas.height = Math.ceil((frame.height + above) * scale)
  context.scale(scale, scale)
  context.fillStyle = colours.getPropertyValue('--canvas')
  context.fillRect(0, 0, canvas.width, canvas.height)
  lines.forEach(({ text, font, colour }, i) => {
    context.font = font
    context.fillStyle = colour
    context.fillText(text, MARGIN, 19 + LINE * i)
  })
  let top = textHeight
  for (const { element, extent } of keys) {
    await drawParts(context, element, { left: MARGIN - extent.left, top: top - extent.top })
    top += extent.height + GAP
  }
  await drawParts(context, box, { left: -frame.left, top: above - frame.top })
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob === null ? reject(new Error('The picture is too large.')) : resolve(blob)),
      'image/png',
    )
  })
}

interface Writing {
  readonly font: string
  readonly colour: string
}

/** Parts wrapped into lines of a width; a part wider than that gets its own line. */
function wrapped(
  context: CanvasRenderingContext2D,
  parts: readonly string[],
  between: string,
  writing: Writing,
  width: number,
): readonly (Writing & { readonly text: string })[] {
  context.font = writing.font
  const lines: string[] = []
  for (const part of parts) {
    const last = lines.at(-1)
    const longer = last === undefined ? part : last + between + part
    if (last !== undefined && context.measureText(longer).width <= width) lines[lines.length - 1] = longer
    else lines.push(part)
  }
  return lines.map((text) => ({ text, ...writing }))
}

/** The area that the parts of an element cover; `undefined` when nothing is visible. */
function extentOf(element: HTMLElement): DOMRect | undefined {
  const range = document.createRange()
  range.selectNodeContents(element)
  const extent = range.getBoundingClientRect()
  return extent.width === 0 || extent.height === 0 ? undefined : extent
}

/** Draws every coloured surface, every drawing and every text of an element, moved by an offset. */
async function drawParts(
  context: CanvasRenderingContext2D,
  box: HTMLElement,
  offset: { readonly left: number; readonly top: number },
): Promise<void> {
  for (const part of box.querySelectorAll<HTMLElement>(':not(svg *, canvas, .sr-only, .sr-only *)')) {
    const { backgroundColor, opacity } = getComputedStyle(part)
    const place = part.getBoundingClientRect()
    context.fillStyle = backgroundColor
    context.globalAlpha = Number(opacity)
    context.fillRect(place.left + offset.left, place.top + offset.top, place.width, place.height)
  }
  context.globalAlpha = 1
  for (const part of box.querySelectorAll<SVGSVGElement | HTMLCanvasElement>('svg, canvas')) {
    if (part.parentElement?.closest('svg') !== null && part.parentElement?.closest('svg') !== undefined) continue
    const place = part.getBoundingClientRect()
    if (place.width === 0 || place.height === 0) continue
    const source = part instanceof HTMLCanvasElement ? part : await imageOf(part)
    context.drawImage(source, place.left + offset.left, place.top + offset.top, place.width, place.height)
  }
  const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT)
  while (texts.nextNode() !== null) {
    const { currentNode: node } = texts
    const parent = node.parentElement
    if (parent === null || parent.closest('svg, .sr-only') !== null) continue
    const style = getComputedStyle(parent)
    context.fillStyle = style.color
    context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
    for (const { text, place } of linesOf(node)) {
      context.fillText(text, place.left + offset.left, place.bottom + offset.top - place.height * 0.25)
    }
  }
}

/** A text node line by line, as the page has wrapped it. */
function linesOf(node: Node): readonly { readonly text: string; readonly place: DOMRect }[] {
  const lines: { text: string; place: DOMRect }[] = []
  for (const word of (node.textContent ?? '').matchAll(/\S+/g)) {
    const range = document.createRange()
    range.setStart(node, word.index)
    range.setEnd(node, word.index + word[0].length)
    const place = range.getBoundingClientRect()
    const last = lines.at(-1)
    if (last !== undefined && Math.abs(last.place.top - place.top) < 2) last.text += ` ${word[0]}`
    else lines.push({ text: word[0], place })
  }
  return lines
}

/** The computed styles that an SVG needs; style sheets and custom properties do not apply inside an image. */
const LOOK = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-opacity',
  'stroke-width',
  'stroke-dasharray',
  'stroke-linecap',
  'stroke-linejoin',
  'opacity',
  'display',
  'visibility',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'dominant-baseline',
  'stop-color',
  'stop-opacity',
] as const

async function imageOf(svg: SVGSVGElement): Promise<HTMLImageElement> {
  const copy = svg.cloneNode(true)
  if (!(copy instanceof SVGSVGElement)) throw new Error('Cannot copy this drawing.')
  const { width, height } = svg.getBoundingClientRect()
  withLook(svg, copy)
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  bringPatterns(svg, copy)
  const image = new Image()
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(copy))}`
  await image.decode()
  return image
}

function withLook(from: Element, to: Element): void {
  const style = getComputedStyle(from)
  for (const name of LOOK) {
    const value = style.getPropertyValue(name)
    if (value !== '') to.setAttribute(name, value)
  }
  to.removeAttribute('class')
  to.removeAttribute('style')
  for (const [index, child] of Array.from(from.children).entries()) {
    const twin = to.children[index]
    if (twin !== undefined) withLook(child, twin)
  }
}

/** Patterns are defined once per page; the picture needs copies of those that it references. */
function bringPatterns(svg: SVGSVGElement, copy: SVGSVGElement): void {
  const wanted = new Set(Array.from(copy.outerHTML.matchAll(/url\((?:&quot;|["'])?#([^"')&]+)/g), ([, id]) => id ?? ''))
  const defs = document.createElementNS('http://www.w3.org/2000/svg', 'defs')
  for (const id of wanted) {
    const pattern = document.querySelector(`#${CSS.escape(id)}`)
    if (pattern === null || svg.contains(pattern)) continue
    const twin = pattern.cloneNode(true)
    if (!(twin instanceof Element)) continue
    withLook(pattern, twin)
    defs.append(twin)
  }
  copy.prepend(defs)
}
