export { pageviews } from '../../client/features/pageviews/pageviews'
