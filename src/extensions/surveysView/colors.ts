import type { SurveyAppearance } from '../../types'

const DARK = '#020617'

/** The variable of each color and size of an appearance. */
const VARIABLES: Partial<Record<keyof SurveyAppearance, string>> = {
  backgroundColor: 'background-color',
  borderColor: 'border-color',
  textColor: 'text-primary-color',
  textSubtleColor: 'text-subtle-color',
  submitButtonColor: 'submit-button-color',
  submitButtonTextColor: 'submit-button-text-color',
  ratingButtonColor: 'rating-bg-color',
  ratingButtonActiveColor: 'rating-active-bg-color',
  inputBackground: 'input-background',
  inputTextColor: 'input-text-color',
  disabledButtonOpacity: 'disabled-button-opacity',
  fontFamily: 'font-family',
  maxWidth: 'max-width',
  zIndex: 'z-index',
  boxPadding: 'box-padding',
  boxShadow: 'box-shadow',
  borderRadius: 'border-radius',
}

/** The text on each background, unless the appearance has its color. */
const TEXTS: readonly (readonly [
  background: keyof SurveyAppearance,
  variable: string,
  own?: keyof SurveyAppearance,
])[] = [
  ['backgroundColor', '--ph-survey-text-primary-color', 'textColor'],
  ['backgroundColor', '--ph-survey-text-subtle-color', 'textSubtleColor'],
  ['backgroundColor', '--ph-survey-border-color', 'borderColor'],
  ['backgroundColor', '--ph-survey-outline-color'],
  ['submitButtonColor', '--ph-survey-submit-button-text-color', 'submitButtonTextColor'],
  ['ratingButtonColor', '--ph-survey-rating-text-color'],
  ['ratingButtonActiveColor', '--ph-survey-rating-active-text-color'],
  ['inputBackground', '--ph-survey-input-text-color', 'inputTextColor'],
  ['widgetColor', '--ph-widget-text-color'],
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
  const set = (name: string, value: string) => host.style.setProperty(name, value)
  for (const [name, variable] of Object.entries(VARIABLES)) {
    const value = appearance[name as keyof SurveyAppearance]
    if (value !== undefined && value !== null && value !== '') set(`--ph-survey-${variable}`, String(value))
  }
  if (appearance.widgetColor) set('--ph-widget-color', appearance.widgetColor)
  if (appearance.zIndex) set('--ph-widget-z-index', appearance.zIndex)
  if (Object.keys(appearance).some((name) => /color$|^inputBackground$/i.test(name))) host.dataset.colors = ''
  for (const [background, variable, own] of TEXTS) {
    const color = appearance[background] as string | undefined
    const luminance = color && !(own && appearance[own]) ? luminanceOf(color, host) : undefined
    if (luminance !== undefined) set(variable, textOn(luminance))
  }
}
