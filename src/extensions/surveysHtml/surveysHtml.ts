import DOMPurify from 'dompurify'
import type { SurveyHtmlParts } from '../../host'
import type { Extension } from '../contract'

export const start: Extension<SurveyHtmlParts>['start'] = (host) => {
  host.use((html) =>
    DOMPurify.sanitize(html, {
      ALLOWED_TAGS: host.allowed.elements,
      ALLOWED_ATTR: host.allowed.attributes,
      RETURN_DOM_FRAGMENT: true,
    }),
  )
  return () => {}
}
