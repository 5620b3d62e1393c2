import type { ButtonHTMLAttributes } from 'react'
import styles from './Button.module.css'
import { classes } from './classes.ts'

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** One primary button a screen: the thing most people came for. */
  readonly primary?: boolean
  readonly small?: boolean
}

/** A button names its result and its object: "Connect with 7 of 9". */
export function Button({ primary = false, small = false, className, type = 'button', ...rest }: ButtonProps) {
  const look = classes(styles['button'], primary && styles['primary'], small && styles['small'], className)
  return <button type={type} className={look} {...rest} />
}
