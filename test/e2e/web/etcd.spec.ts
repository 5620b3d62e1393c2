import AxeBuilder from '@axe-core/playwright'
import { expect, test } from '../console.ts'

// The screen of an etcd on the simulated one, from the form of the Connection screen on.

const SIZES = [
  { width: 1440, height: 900 },
  { width: 1100, height: 700 },
  { width: 1920, height: 1080 },
]

for (const theme of ['dark', 'light'] as const) {
  test(`the etcd screen, ${theme}: shows what is limited, explains and changes it, at every size`, async ({
    consolePage: page,
  }) => {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
    await page.evaluate(() => {
      location.hash = '#/connection'
    })
    await page.getByRole('button', { name: /^etcd proxy/ }).click()
    await page.getByRole('button', { name: 'Explore a simulated etcd' }).click()
    await expect(page.getByRole('heading', { level: 1 })).toContainText('limited, most by rule-event', {
      timeout: 20_000,
    })
    await expect(page.getByRole('grid', { name: 'Rejected requests' }).getByText('rule-event').first()).toBeVisible()

    await page.getByRole('button', { name: 'Test a request' }).click()
    await page.getByRole('button', { name: 'Test the request' }).click()
    await expect(page.getByRole('table', { name: 'Rules and the request' })).toContainText('applies')
    const problems = async (): Promise<readonly string[]> => {
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`)
    }
    for (const size of SIZES) {
      await page.setViewportSize(size)
      expect(await problems()).toEqual([])
    }
    await page.getByRole('button', { name: 'Advice' }).click()
    await expect(page.getByRole('heading', { name: 'Password storms' })).toBeVisible()
    expect(await problems()).toEqual([])

    await page.getByRole('grid', { name: 'Rules' }).getByText('rule-event').click()
    await page.getByRole('button', { name: 'Preview' }).click()
    await expect(page.getByText(/Would have limited/)).toBeVisible()
    expect(await problems()).toEqual([])
    await page.getByRole('checkbox', { name: 'Enabled' }).click()
    await expect(page.getByRole('grid', { name: 'Rules' }).getByText('disabled')).toHaveCount(2)

    // What has no API server says so on the other screens.
    await page.evaluate(() => {
      location.hash = '#/overview'
    })
    await expect(page.getByText('The connected source is an etcd.')).toBeVisible()
  })
}
