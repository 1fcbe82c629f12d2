import type { SurveyAppearance } from '../../types'

const DARK = '#020617'

/** Appearance members that are CSS values. Each sets the variable of its name, such as `border-color`, except those in `NAMES`. */
const IS_CSS = /color$|^input|opacity$|family$|width$|index$|padding$|shadow$|radius$/i
const NAMES: Record<string, string> = {
  textColor: 'text-primary-color',
  ratingButtonColor: 'rating-bg-color',
  ratingButtonActiveColor: 'rating-active-bg-color',
}
const variableOf = (name: string) =>
  `--ph-${name.startsWith('widget') ? '' : 'survey-'}${NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Text color for each background, unless the appearance defines one. */
const TEXTS: readonly (readonly [background: keyof SurveyAppearance, ...texts: string[]])[] = [
  ['backgroundColor', 'textColor', 'textSubtleColor', 'borderColor', 'outlineColor'],
  ['submitButtonColor', 'submitButtonTextColor'],
  ['ratingButtonColor', 'ratingTextColor'],
  ['ratingButtonActiveColor', 'ratingActiveTextColor'],
  ['inputBackground', 'inputTextColor'],
  ['widgetColor', 'widgetTextColor'],
]

/** Returns the relative luminance of a color, which the browser resolves; undefined for one that it does not know. */
const luminanceOf = (color: string, probe: HTMLElement): number | undefined => {
  probe.style.color = ''
  probe.style.color = color
  if (!probe.style.color) return undefined
  const [red, green, blue] = (/^rgba?\((.*)\)$/.exec(getComputedStyle(probe).color)?.[1] ?? '')
    .split(/[ ,/]+/)
    .map((part) => +part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  probe.style.color = ''
  return blue === undefined ? undefined : 0.2126 * red! + 0.7152 * green! + 0.0722 * blue
}

/** Returns the color of readable text on a background of this luminance: white or the dark one, else black. */
const textOn = (luminance: number): string => {
  const onWhite = 1.05 / (luminance + 0.05)
  const onDark = (luminance + 0.05) / 0.0518
  return Math.max(onWhite, onDark) < 4.5 ? '#000' : onWhite > onDark ? '#fff' : DARK
}

/** Sets the variables of an appearance on the host of a shadow root. Values that are not CSS have no effect. */
export const applyAppearance = (host: HTMLElement, appearance: SurveyAppearance): void => {
  const values = appearance as Readonly<Record<string, unknown>>
  const set = (name: string, value: unknown) => host.style.setProperty(variableOf(name), String(value))
  for (const name of Object.keys(values).filter((each) => IS_CSS.test(each) && values[each])) {
    set(name, values[name])
    if (/color$|^input/i.test(name)) host.dataset.colors = ''
  }
  if (appearance.zIndex) host.style.setProperty('--ph-widget-z-index', appearance.zIndex)
  for (const [background, ...texts] of TEXTS) {
    const color = values[background] as string | undefined
    const luminance = color ? luminanceOf(color, host) : undefined
    for (const name of texts) if (luminance !== undefined && !values[name]) set(name, textOn(luminance))
  }
}
