package environment

func faultMain(args []string) int { return 0 }
