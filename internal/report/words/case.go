package words

// The words of judge show about a call or a conversation.
const (
	NoRecord        = "the record cannot be shown: %s"
	PassedByAll     = "passed by all %d"
	FailedBy        = "FAILED by %s; passed by %d"
	ScoresMissing   = "; scores missing: %d"
	BadArguments    = "cannot be read: %s"
	NoResult        = "the log has none"
	ResultError     = "error: %s"
	ResultHidden    = "result, which no judge saw"
	OtherTool       = "a call of %s"
	ExpectedUnknown = "the log does not say"
	ExpectedNone    = "no call at all"
	ExpectedOthers  = "no expected call was paired with this one; expected are %s"
	MissingArgument = "%s is missing  <- expected %s"
	NotExpected     = "  <- not expected"
	ExpectedInstead = "  <- expected %s"
	OfConversation  = ", of the conversation"
	OfTurn          = ", of turn %d"
	OfResult        = ", with its result"
	SameReason      = "the same as above"
	BeforeCall      = "before it (%s)"
	NoDefinition    = "tool %s: the log has no definition of it"
	NotSent         = "it was not sent"
	ReplyText       = "raw reply, without its envelope: %s"
	NoSuchCall      = "%s has %s, counted from 0"
)
