import { DropdownMenu } from 'radix-ui'
import { Button } from '../../components/Button.tsx'
import { Icon } from '../../components/Icon.tsx'
import menu from '../../components/Menu.module.css'
import { useSettings } from '../../state/settings.ts'
import { NARROW, useMedia } from '../level/useMedia.ts'
import { shownColumns, STREAM_COLUMNS, withColumn } from './columns.tsx'
import styles from './StreamList.module.css'

/** Which columns are shown; kept with the settings. */
export function ColumnsMenu() {
  const [{ liveColumns }, change] = useSettings()
  const narrow = useMedia(NARROW)
  const shown = shownColumns(liveColumns, narrow)
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        <Button small>
          <Icon name="table" size={13} /> Columns
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className={menu['menu']} align="end" sideOffset={4} collisionPadding={8}>
          {STREAM_COLUMNS.map((column) => (
            <DropdownMenu.CheckboxItem
              key={column.id}
              className={menu['item']}
              checked={shown.includes(column)}
              // The last column stays: a list of nothing says nothing.
              disabled={shown.length === 1 && shown.includes(column)}
              onSelect={(event) => event.preventDefault()}
              onCheckedChange={(checked) =>
                change({ liveColumns: [...withColumn(liveColumns, column, checked, narrow)] })
              }
            >
              <span className={styles['tick']}>
                <DropdownMenu.ItemIndicator>
                  <Icon name="check" size={12} />
                </DropdownMenu.ItemIndicator>
              </span>
              {column.title}
            </DropdownMenu.CheckboxItem>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
