import type { Survey } from '../../types'
import { applyAppearance } from './colors'
import { addStyles } from './styles'

interface Container {
  host: HTMLElement
  root: ShadowRoot
  users: number
}

const containers = new Map<string, Container>()

// Scripts that are written from the right.
const RTL = /^(ar|dv|fa|he|ku|ps|sd|ug|ur|yi)\b/i

/** Returns where surveys are added: the topmost modal dialog, outside of which everything is inert, or the body. */
const parentOf = (): Element => {
  try {
    return [...document.querySelectorAll('dialog:modal')].pop() ?? document.body
  } catch {
    return document.body
  }
}

/** Returns the shadow root of a survey, shared by its popover and widget, and a function that removes it if unused. */
export const openContainer = (survey: Survey, language: string | undefined) => {
  let container = containers.get(survey.id)
  if (!container?.host.isConnected) {
    const host = document.createElement('div')
    host.className = `PostHogSurvey-${survey.id}`
    const root = host.attachShadow({ mode: 'open' })
    addStyles(root)
    parentOf().append(host)
    applyAppearance(host, survey.appearance ?? {})
    container = { host, root, users: 0 }
    containers.set(survey.id, container)
  }
  const used = container
  used.users += 1
  const lang = language || document.documentElement.lang
  if (language) used.host.lang = language
  used.host.dir = RTL.test(lang) || (!language && document.documentElement.dir === 'rtl') ? 'rtl' : 'ltr'
  return {
    root: used.root,
    release: () => {
      used.users -= 1
      if (used.users > 0) return
      used.host.remove()
      if (containers.get(survey.id) === used) containers.delete(survey.id)
    },
  }
}
