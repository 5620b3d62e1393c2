import { hrefOfPage, useRoute } from '../state/route.ts'
import type { ScreenEntry } from './screens.tsx'
import styles from './PageTabs.module.css'

/** The pages of a screen, where the sidebar is too narrow to name them. */
export function PageTabs(props: Pick<ScreenEntry, 'name' | 'label'> & { readonly pages: ScreenEntry['pages'] }) {
  const { name, label, pages } = props
  const { page } = useRoute()
  if (pages === undefined) return null
  return (
    <nav aria-label={`Pages of ${label}`} className={styles['tabs']}>
      {pages.map((one) => (
        <a key={one.name} href={hrefOfPage(name, one.name)} aria-current={page === one.name ? 'page' : undefined}>
          {one.label}
        </a>
      ))}
    </nav>
  )
}
