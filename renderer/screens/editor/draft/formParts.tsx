import type { ButtonHTMLAttributes } from 'react'
import type { LocatedFinding } from '../../../../core/manifest/manifest.ts'
import { classes } from '../../../components/classes.ts'
import { Icon, type IconName } from '../../../components/Icon.tsx'
import styles from './form.module.css'

/** What is wrong or suspicious, one line each, below what it is about. */
export function FindingLines({ findings }: { readonly findings: readonly LocatedFinding[] }) {
  return findings.map(({ field, severity, message }) => (
    <p
      key={`${field} ${message}`}
      data-fields={field}
      className={classes(styles['problem'], severity === 'warning' && styles['warning'])}
    >
      {message}
    </p>
  ))
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: IconName
  readonly label: string
}

export const IconButton = ({ icon, label, ...rest }: IconButtonProps) => (
  <button type="button" className={styles['icon']} aria-label={label} title={label} {...rest}>
    <Icon name={icon} size={12} />
  </button>
)
