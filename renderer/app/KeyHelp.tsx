import { Dialog } from 'radix-ui'
import { Button } from '../components/Button.tsx'
import { classes } from '../components/classes.ts'
import { GLOSSARY } from '../components/glossary.ts'
import { scrollRegion } from '../components/scrollRegion.ts'
import { useSettings } from '../state/settings.ts'
import { SHORTCUTS } from './keymap.ts'
import { setOverlay, shellStore } from './shellStore.ts'
import styles from './Dialog.module.css'

/** Keys and terms. */
export function KeyHelp() {
  const open = shellStore(({ overlay }) => overlay === 'help')
  return (
    <Dialog.Root open={open} onOpenChange={(next) => setOverlay('help', next)}>
      <Dialog.Portal>
        <Dialog.Overlay className={styles['veil']} />
        <Dialog.Content className={classes(styles['dialog'], styles['wide'])} aria-describedby={undefined}>
          <header className={styles['head']}>
            <Dialog.Title>Shortcuts and glossary</Dialog.Title>
            <Dialog.Close asChild>
              <Button small className={styles['close']}>
                Close
              </Button>
            </Dialog.Close>
          </header>
          <div className={styles['columns']} {...scrollRegion('Shortcuts and glossary')}>
            <section>
              <h3>Keys</h3>
              <dl className={styles['keys']}>
                {SHORTCUTS.map(([keys, does]) => (
                  <Shortcut key={keys} keys={keys} does={does} />
                ))}
              </dl>
              <SingleKeys />
            </section>
            <section>
              <h3>Glossary</h3>
              <dl className={styles['terms']}>
                {Object.entries(GLOSSARY).map(([id, [term, sentence]]) => (
                  <div key={id}>
                    <dt>{term}</dt>
                    <dd>{sentence}</dd>
                  </div>
                ))}
              </dl>
            </section>
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

const Shortcut = ({ keys, does }: { readonly keys: string; readonly does: string }) => (
  <>
    <dt>
      <kbd className={styles['kbd']}>{keys}</kbd>
    </dt>
    <dd>{does}</dd>
  </>
)

function SingleKeys() {
  const [{ singleKeys }, change] = useSettings()
  return (
    <label className={styles['switch']}>
      <input type="checkbox" checked={singleKeys} onChange={({ target }) => change({ singleKeys: target.checked })} />
      Single letters and digits act at once
    </label>
  )
}
