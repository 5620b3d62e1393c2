import { useEffect } from 'react'
import { settingsStore } from '../state/settings.ts'

const LIGHT = '(prefers-color-scheme: light)'

/** Applies the chosen theme, or the system's, to the root element. */
export function useTheme(): void {
  const theme = settingsStore((settings) => settings.theme)
  useEffect(() => {
    const light = matchMedia(LIGHT)
    const apply = (): void => {
      document.documentElement.dataset['theme'] = theme === 'system' ? (light.matches ? 'light' : 'dark') : theme
    }
    apply()
    light.addEventListener('change', apply)
    return () => light.removeEventListener('change', apply)
  }, [theme])
}
