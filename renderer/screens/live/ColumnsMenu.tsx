import { DropdownMenu } from 'radix-ui'
import { Button } from '../../components/Button.tsx'
import { Icon } from '../../components/Icon.tsx'
import menu from '../../components/Menu.module.css'
import { useSettings } from '../../state/settings.ts'
import { shownColumns, STREAM_COLUMNS, withColumn, type Room } from './columns.tsx'
import styles from './StreamList.module.css'

/** Which columns are shown; kept with the settings. */
export function ColumnsMenu({ room }: { readonly room: Room }) {
  const [{ liveColumns }, change] = useSettings()
  const shown = shownColumns(liveColumns, room)
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
                change({ liveColumns: [...withColumn(liveColumns, column, checked, room)] })
              }
            >
              <span className={styles['tick']}>
                <DropdownMenu.ItemIndicator>
                  <Icon name="check" size={12} />
                </DropdownMenu.ItemIndicator>
              </span>
              <b className={styles['columnName']}>{column.header}</b>
              <span className={styles['quiet']}>{column.title}</span>
            </DropdownMenu.CheckboxItem>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}
