/** What stands above a drawing. */
export interface Caption {
  /** Title, unit and level. */
  readonly heading: string
  /** Source, server and time. */
  readonly origin: string
  readonly legend: HTMLElement | null
}

const LINE = 20

/** A drawing (SVG or canvas elements inside one box) as a PNG on the current theme's background, at twice its size. */
export async function pictureOf(box: HTMLElement, { heading: title, origin, legend }: Caption): Promise<Blob> {
  const scale = 2
  const legendFrame = legend === null ? undefined : extentOf(legend)
  const heading = 8 + LINE * (origin === '' ? 1 : 2) + (legendFrame === undefined ? 0 : legendFrame.height + 8)
  const frame = box.getBoundingClientRect()
  const colours = getComputedStyle(document.documentElement)
  const canvas = document.createElement('canvas')
  canvas.width = Math.ceil(frame.width * scale)
  canvas.height = Math.ceil((frame.height + heading) * scale)
  const context = canvas.getContext('2d')
  if (context === null) throw new Error('This browser gives no drawing surface.')
  context.scale(scale, scale)
  context.fillStyle = colours.getPropertyValue('--canvas')
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = colours.getPropertyValue('--text')
  context.font = `600 13px ${colours.getPropertyValue('--font-ui')}`
  context.fillText(title, 12, 19)
  if (origin !== '') {
    context.fillStyle = colours.getPropertyValue('--text-2')
    context.font = `400 11px ${colours.getPropertyValue('--font-ui')}`
    context.fillText(origin, 12, 19 + LINE)
  }
  if (legend !== null && legendFrame !== undefined) {
    await drawParts(context, legend, {
      left: 12 - legendFrame.left,
      top: heading - 4 - legendFrame.height - legendFrame.top,
    })
  }
  await drawParts(context, box, { left: -frame.left, top: heading - frame.top })
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob === null ? reject(new Error('The picture is too large.')) : resolve(blob)),
      'image/png',
    )
  })
}

/** What the parts of an element cover; `undefined` when there is nothing to see. */
function extentOf(element: HTMLElement): DOMRect | undefined {
  const range = document.createRange()
  range.selectNodeContents(element)
  const extent = range.getBoundingClientRect()
  return extent.width === 0 || extent.height === 0 ? undefined : extent
}

/** Draws every drawing and every text of an element, moved by an offset. */
async function drawParts(
  context: CanvasRenderingContext2D,
  box: HTMLElement,
  offset: { readonly left: number; readonly top: number },
): Promise<void> {
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
    const text = node.textContent?.trim() ?? ''
    if (text === '' || parent === null || parent.closest('svg, .sr-only') !== null) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const place = range.getBoundingClientRect()
    const style = getComputedStyle(parent)
    context.fillStyle = style.color
    context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
    context.fillText(text, place.left + offset.left, place.bottom + offset.top - place.height * 0.25)
  }
}

/** What gives an SVG its look; style sheets and custom properties do not reach into an image. */
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
  if (!(copy instanceof SVGSVGElement)) throw new Error('A copy of a drawing is a drawing.')
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

/** Patterns are defined once a page; the picture needs copies of those it refers to. */
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
