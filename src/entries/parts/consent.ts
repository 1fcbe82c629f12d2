export { consent } from '../../client/features/consent/consentAlone'
