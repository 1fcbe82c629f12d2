import { readDevice } from '../../src/browser/device'

const browser = ({ platform, touchPoints, side }: { platform: string; touchPoints: number; side: number }) => {
  const define = (target: object, name: string, value: unknown) =>
    Object.defineProperty(target, name, { value, configurable: true })
  define(navigator, 'userAgentData', { platform })
  define(navigator, 'maxTouchPoints', touchPoints)
  define(screen, 'width', side)
  define(screen, 'height', 2000)
  define(window, 'devicePixelRatio', 2)
}

test.each([
  ['an Android tablet that requests desktop sites', { platform: 'Android', touchPoints: 5, side: 1200 }, 'Tablet'],
  ['an Android phone that requests desktop sites', { platform: 'Android', touchPoints: 5, side: 800 }, 'Mobile'],
  ['Android on a device without touch', { platform: 'Android', touchPoints: 0, side: 1200 }, 'Desktop'],
  ['a desktop', { platform: 'Linux', touchPoints: 5, side: 1200 }, 'Desktop'],
])('detects the device type of %s', (_, machine, kind) => {
  browser(machine)
  expect(readDevice().$device_type).toBe(kind)
})
