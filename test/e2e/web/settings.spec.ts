import { expect, test } from '../console.ts'

/** Entries of the palette, and the control that each is about. */
const ENTRIES = [
  ['Sidebar by width or icons only', 'radio', 'By width'],
  ['Range at the start', 'combobox', 'Range at the start'],
  ['Record sources', 'checkbox', 'Record sources that are connected later'],
  ['Keep recordings for', 'combobox', 'Keep for'],
  ['Keep recordings at most', 'combobox', 'At most'],
  ['Newer versions', 'textbox', 'Source of newer versions'],
] as const

test('the palette opens each setting with the focus on it, in view', async ({ consolePage: page }) => {
  // So low that not all settings fit.
  await page.setViewportSize({ width: 1100, height: 420 })
  // The second time, Settings is already shown.
  for (const [entry, role, name] of [...ENTRIES, ENTRIES[0]]) {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to' }).fill(entry)
    await page.getByRole('option', { name: entry, exact: true }).click()
    const control = page.getByRole(role, { name, exact: true })
    await expect(control).toBeFocused()
    await expect(control).toBeInViewport({ ratio: 1 })
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(control).toBeFocused()
  }
})
