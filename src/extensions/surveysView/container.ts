import type { Stop, Survey } from '../../types'
import { followDialogs } from '../dialogs'
import { applyAppearance } from './colors'
import { addStyles } from './styles'

interface Container {
  host: HTMLElement
  root: ShadowRoot
  users: number
  stopFollowing: Stop
}

const containers = new Map<string, Container>()

// Scripts that are written from the right.
const RTL = /^(ar|dv|fa|he|ku|ps|sd|ug|ur|yi)\b/i

/** Returns the shadow root of a survey, shared by its popover and widget, and a function that removes it if unused. */
export const openContainer = (survey: Survey, language: string | undefined) => {
  let container = containers.get(survey.id)
  if (!container?.host.isConnected) {
    const host = document.createElement('div')
    host.className = `PostHogSurvey-${survey.id}`
    const root = host.attachShadow({ mode: 'open' })
    addStyles(root)
    document.body.append(host)
    applyAppearance(host, survey.appearance ?? {})
    // Everything outside a modal dialog is inert. A host that the page has removed is not added again.
    const stopFollowing = followDialogs(host, (dialog) => {
      const parent = dialog ?? document.body
      if (!host.parentNode || host.parentNode === parent) return
      const focused = root.activeElement as HTMLElement | null
      parent.append(host)
      // In the top layer of the browser, where styles of the dialog neither move nor clip it.
      host.popover = dialog ? 'manual' : null
      if (dialog) host.showPopover?.()
      focused?.focus({ preventScroll: true })
    })
    container = { host, root, users: 0, stopFollowing }
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
      used.stopFollowing()
      used.host.remove()
      if (containers.get(survey.id) === used) containers.delete(survey.id)
    },
  }
}
