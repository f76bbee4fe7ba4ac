package environment

func faultMain(mode string) int { return 0 }
func mcpFaultMain(mode string) int { return 0 }
