import styles from './overview.module.css'

/** Whether copies of troubled rows stand above the others. */
export const PinSwitch = (props: { readonly pin: boolean; readonly onPin: (pin: boolean) => void }) => (
  <label className={styles['check']}>
    <input type="checkbox" checked={props.pin} onChange={(event) => props.onPin(event.target.checked)} />
    pin levels that need attention
  </label>
)
