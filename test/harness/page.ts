import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** A folder like the one that the build makes, with a secret beside it and a link to that secret inside it. */
export function tinyPage(): { readonly root: string; readonly secret: string; remove(): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'apf-page-'))
  const root = path.join(folder, 'renderer')
  const secret = 'nobody may read this'
  mkdirSync(path.join(root, 'assets'), { recursive: true })
  writeFileSync(path.join(folder, 'secret.json'), secret)
  symlinkSync(path.join(folder, 'secret.json'), path.join(root, 'assets', 'link.json'))
  const head = '<meta name="csp-nonce" content="__CSP_NONCE__"><meta name="base-path" content="/"><title>t</title>'
  const script = '<script type="module" src="./assets/index-Ab3_xY9-.js"></script>'
  writeFileSync(path.join(root, 'index.html'), `<!doctype html><html lang="en"><head>${head}${script}</head></html>`)
  writeFileSync(path.join(root, 'assets', 'index-Ab3_xY9-.js'), 'export {}')
  writeFileSync(path.join(root, 'assets', 'index-Ab3_xY9-.js.map'), '{}')
  writeFileSync(path.join(root, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  return { root, secret, remove: () => rmSync(folder, { recursive: true }) }
}
