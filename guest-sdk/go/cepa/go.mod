module cepa

go 1.27.1
