import DOMPurify from 'dompurify'
import type { SurveyHtmlParts } from '../../host'
import type { Extension } from '../contract'
import { ATTRIBUTES, ELEMENTS } from '../surveysView/allowed'

export const start: Extension<SurveyHtmlParts>['start'] = (host) => {
  host.use((html) =>
    DOMPurify.sanitize(html, { ALLOWED_TAGS: ELEMENTS, ALLOWED_ATTR: ATTRIBUTES, RETURN_DOM_FRAGMENT: true }),
  )
  return () => {}
}
